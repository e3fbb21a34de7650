//! The one place where tasks start. Every task has an owner that waits for it.

use tokio::task::JoinHandle;
use tokio_util::task::AbortOnDropHandle;

/// Starts a task that ends with its handle.
#[expect(clippy::disallowed_methods, reason = "the one place that spawns")]
pub(crate) fn spawn<T: Send + 'static>(
    task: impl Future<Output = T> + Send + 'static,
) -> AbortOnDropHandle<T> {
    let handle: JoinHandle<T> = tokio::spawn(task);
    AbortOnDropHandle::new(handle)
}
