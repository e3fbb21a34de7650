//! The one place where the tasks of a handle start.

use tokio::task::JoinHandle;

#[expect(clippy::disallowed_methods, reason = "the one place that spawns; whoever calls it owns the task")]
pub(crate) fn spawn(task: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    tokio::spawn(task)
}
