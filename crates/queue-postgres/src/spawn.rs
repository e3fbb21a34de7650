//! Starts tasks on the runtime of the caller.

use queue_core::Spawn;
use std::pin::Pin;
use tokio::runtime::Handle;

/// The runtime of the caller, where the tasks that merge calls run. Each task ends with its handle.
#[derive(Debug)]
pub(crate) struct CallerRuntime;

impl Spawn for CallerRuntime {
    /// Drops the task where there is no runtime, as when a future is dropped after its own has
    /// ended.
    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        if let Ok(runtime) = Handle::try_current() {
            drop(runtime.spawn(task));
        }
    }
}
