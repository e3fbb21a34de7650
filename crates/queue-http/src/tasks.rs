//! The tasks of a service: their owner, their stop signal, and their join.

use std::future::Future;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// The tasks of one service.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tasks {
    tracker: TaskTracker,
    /// Cancelled before `closing`, for those who send the service its calls.
    unready: CancellationToken,
    closing: CancellationToken,
}

impl Tasks {
    /// Runs a future to its end, even if the caller is dropped. Only for work that ends by itself.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        drop(self.tracker.spawn(task));
    }

    /// Whether the service still wants calls.
    pub(crate) fn is_ready(&self) -> bool {
        !self.unready.is_cancelled()
    }

    /// Wants no more calls.
    pub(crate) fn become_unready(&self) {
        self.unready.cancel();
    }

    /// Whether waits are to end now.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.is_cancelled()
    }

    /// Waits until waits are to end.
    pub(crate) async fn closing(&self) {
        self.closing.cancelled().await;
    }

    /// Ends all waits.
    pub(crate) fn close(&self) {
        self.unready.cancel();
        self.closing.cancel();
        self.tracker.close();
    }

    /// Waits until all tasks have ended; they end by themselves once this is closed.
    pub(crate) async fn join(&self) {
        self.tracker.wait().await;
    }
}
