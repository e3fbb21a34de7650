//! The one place where tasks start. Every task has an owner that waits for it.

use std::future::Future;
use tokio::task::JoinHandle;
use tokio_util::task::TaskTracker;

/// Starts a task that the caller waits for.
#[expect(clippy::disallowed_methods, reason = "the one place that spawns")]
pub(crate) fn spawn<T: Send + 'static>(task: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    tokio::spawn(task)
}

/// Runs a function on a thread that it may block. Nothing can end the function but itself, so its
/// owner has to wait for it.
pub(crate) fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    tokio::task::spawn_blocking(work)
}

/// Starts a task that the tracker waits for.
pub(crate) fn tracked(tracker: &TaskTracker, task: impl Future<Output = ()> + Send + 'static) {
    drop(spawn(tracker.track_future(task)));
}
