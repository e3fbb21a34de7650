//! Whether a run claims nothing because its worker is paused.

use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Notify;

/// The pause of a worker from outside. While it is on, the run claims nothing and starts nothing,
/// and what runs goes on.
#[derive(Debug, Default)]
pub(in crate::worker) struct WorkerPause {
    is_on: AtomicBool,
    ended: Notify,
}

impl WorkerPause {
    pub(in crate::worker) fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    /// Pauses or resumes, and answers whether that is a change.
    pub(in crate::worker) fn set(&self, is_on: bool) -> bool {
        let has_changed = self.is_on.swap(is_on, Ordering::Relaxed) != is_on;
        if has_changed && !is_on {
            self.ended.notify_one();
        }
        has_changed
    }

    /// Waits until a pause has ended.
    pub(in crate::worker) async fn ended(&self) {
        self.ended.notified().await;
    }
}
