//! How far a server is on its way to its end.

use tokio_util::sync::CancellationToken;

/// The phase of a server on its way to its end: it serves, then reports that it is not ready, then
/// refuses new requests and answers the waiting ones, then cuts the rest.
///
/// Handlers have a clone: readiness asks [`is_ready`](Self::is_ready), and a request that waits for
/// work also waits for [`closing`](Self::closing).
#[derive(Clone, Debug, Default)]
pub struct Lifecycle {
    unready: CancellationToken,
    closing: CancellationToken,
    ended: CancellationToken,
}

impl Lifecycle {
    /// The lifecycle of a server that is about to start.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the server to stop: it is not ready any more, and drains.
    pub fn stop(&self) {
        self.unready.cancel();
    }

    /// Ends the server at once, and cuts what it is doing.
    pub fn abort(&self) {
        self.unready.cancel();
        self.closing.cancel();
        self.ended.cancel();
    }

    /// Whether the server wants to be sent requests.
    pub fn is_ready(&self) -> bool {
        !self.unready.is_cancelled()
    }

    /// Whether requests that wait are to be answered now.
    pub fn is_closing(&self) -> bool {
        self.closing.is_cancelled()
    }

    /// Waits until requests that wait are to be answered.
    pub async fn closing(&self) {
        self.closing.cancelled().await;
    }

    /// Waits until the server is asked to stop.
    pub(super) async fn stopped(&self) {
        self.unready.cancelled().await;
    }

    /// Waits until everything is to end.
    pub(super) async fn ended(&self) {
        self.ended.cancelled().await;
    }

    pub(super) fn close(&self) {
        self.closing.cancel();
    }

    /// Aborts when the guard is dropped.
    pub(super) fn abort_on_drop(self) -> impl Drop {
        AbortOnDrop(self)
    }
}

struct AbortOnDrop(Lifecycle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
