use queue_core::Spawn;
use std::pin::Pin;
use tokio::{runtime::Handle, task::JoinHandle};

#[expect(clippy::disallowed_methods, reason = "the one place that spawns; whoever calls it owns the task")]
pub(crate) fn spawn(task: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    tokio::spawn(task)
}

/// Starts the tasks that merge calls, on the runtime that calls. Each ends with its handle.
#[derive(Debug)]
pub(crate) struct Tasks;

impl Spawn for Tasks {
    /// Where there is no runtime, as when a future is dropped after its own has ended, the task is dropped too.
    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        if let Ok(runtime) = Handle::try_current() {
            drop(runtime.spawn(task));
        }
    }
}
