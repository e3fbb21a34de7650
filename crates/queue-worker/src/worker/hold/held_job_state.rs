//! What changes while a job is held.

use crate::worker::rate::Reservation;
use bytes::Bytes;
use queue_core::NewJob;
use tokio::time::Instant;

/// What changes while the job is held.
#[derive(Debug)]
pub(super) struct HeldJobState {
    /// When the lease lapses, by this process's own clock. It is counted from before the request
    /// was sent, so it is early rather than late.
    pub(super) lapses_at: Instant,
    /// Until when the handler asked the lease to last without another heartbeat.
    pub(super) keep_until: Option<Instant>,
    /// The progress that the handler reported last.
    pub(super) reported: Option<Bytes>,
    /// The progress that the store last answered to have. Answers may overtake each other, so it
    /// need not be the newest.
    pub(super) stored: Option<Bytes>,
    /// Jobs to be enqueued with the completion.
    pub(super) then: Vec<NewJob>,
    /// Kept until the job starts or is let go, though a context may live on.
    pub(super) start: Option<Reservation>,
}

impl HeldJobState {
    pub(super) fn unstored(&self) -> Option<&Bytes> {
        self.reported.as_ref().filter(|reported| self.stored.as_ref() != Some(reported))
    }
}
