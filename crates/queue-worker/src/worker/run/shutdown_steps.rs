//! The steps of a shutdown, which the parts of a run listen for.

use tokio_util::sync::CancellationToken;

/// The steps of a shutdown. Each is a token that fires once.
#[derive(Clone, Debug, Default)]
pub(in crate::worker) struct ShutdownSteps {
    /// Claim nothing more and start nothing more.
    pub(in crate::worker) stop: CancellationToken,
    /// The store was closed for good, so no outcome of a handler can be stored.
    pub(in crate::worker) store_gone: CancellationToken,
    /// Drop the handlers that still run, and give up outcomes that the store does not take.
    pub(in crate::worker) abort: CancellationToken,
    /// Wait no longer for answers of the store.
    pub(in crate::worker) cut_off: CancellationToken,
    /// No job is held any more, so the background parts may end.
    pub(in crate::worker) idle: CancellationToken,
}
