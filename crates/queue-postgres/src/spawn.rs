use queue_core::Spawn;
use std::pin::Pin;

/// Starts the tasks that merge calls, on the runtime that calls. Each ends with its handle.
#[derive(Debug)]
pub(crate) struct Tasks;

impl Spawn for Tasks {
    #[expect(
        clippy::disallowed_methods,
        reason = "the handle owns the tasks, which end by themselves with it"
    )]
    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        drop(tokio::spawn(task));
    }
}
