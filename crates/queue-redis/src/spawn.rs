//! Starts tasks: those of a handle, and those that merge calls on the runtime of the caller.

use queue_core::Spawn;
use std::pin::Pin;
use tokio::{runtime::Handle, task::JoinHandle};

#[expect(clippy::disallowed_methods, reason = "the one place that spawns; whoever calls it owns the task")]
pub(crate) fn spawn(task: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    tokio::spawn(task)
}

/// The runtime of the caller, where the tasks that merge calls run. Each task ends with its handle.
#[derive(Debug)]
pub(crate) struct CallerRuntime;

impl Spawn for CallerRuntime {
    /// Drops the task where there is no runtime, as when a future is dropped after its own runtime
    /// has ended.
    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        if let Ok(runtime) = Handle::try_current() {
            drop(runtime.spawn(task));
        }
    }
}
