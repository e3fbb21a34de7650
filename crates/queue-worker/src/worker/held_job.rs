use crate::handler::CancelReason;
use bytes::Bytes;
use queue_core::{
    ClaimedJob, JobMeta, LeaseToken, NewJob, Payload, Span,
    lifecycle::{Event, Patch},
};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use tokio::{sync::OwnedSemaphorePermit, time::Instant};
use tokio_util::sync::CancellationToken;

/// A job under a lease of this worker, from its claim until its settle is durable.
#[derive(Debug)]
pub(crate) struct HeldJob {
    meta: JobMeta,
    payload: Payload,
    token: LeaseToken,
    cancel: CancellationToken,
    reason: OnceLock<CancelReason>,
    notes: Mutex<Notes>,
    _slot: OwnedSemaphorePermit,
}

/// What changes while the job is held.
#[derive(Debug)]
struct Notes {
    /// When the lease lapses, by this process's own clock: counted from before the request was sent, so it is early
    /// rather than late.
    lapses_at: Instant,
    /// Reported and not stored yet.
    progress: Option<Bytes>,
    /// To be enqueued with the completion.
    then: Vec<NewJob>,
}

impl HeldJob {
    /// `None` if a store claimed the job without its body, which breaks the contract.
    pub(crate) fn new(claimed: ClaimedJob, lapses_at: Instant, slot: OwnedSemaphorePermit) -> Option<Self> {
        Some(Self {
            payload: claimed.record.body?.payload,
            meta: claimed.record.meta,
            token: claimed.token,
            cancel: CancellationToken::new(),
            reason: OnceLock::new(),
            notes: Mutex::new(Notes { lapses_at, progress: None, then: Vec::new() }),
            _slot: slot,
        })
    }

    pub(crate) fn meta(&self) -> &JobMeta {
        &self.meta
    }

    pub(crate) fn payload(&self) -> &Payload {
        &self.payload
    }

    pub(crate) fn token(&self) -> LeaseToken {
        self.token
    }

    pub(crate) fn cancel_token(&self) -> &CancellationToken {
        &self.cancel
    }

    pub(crate) fn cancel_reason(&self) -> Option<CancelReason> {
        self.reason.get().copied()
    }

    /// Asks the handler to stop. The first reason stays.
    pub(crate) fn cancel(&self, reason: CancelReason) {
        let _first = self.reason.set(reason);
        self.cancel.cancel();
    }

    pub(crate) fn set_progress(&self, progress: Bytes) {
        self.notes().progress = Some(progress);
    }

    pub(crate) fn push_then(&self, job: NewJob) {
        self.notes().then.push(job);
    }

    pub(crate) fn take_then(&self) -> Vec<NewJob> {
        std::mem::take(&mut self.notes().then)
    }

    /// The next heartbeat, with progress that is not stored yet.
    pub(crate) fn heartbeat(&self, by: Span) -> Event {
        Event::Extend { token: self.token, by, progress: self.notes().progress.clone() }
    }

    pub(crate) fn forget_progress(&self) {
        self.notes().progress = None;
    }

    /// A heartbeat is through: progress that it carried need not be sent again, unless there is newer.
    pub(crate) fn extended(&self, sent: &Patch, lapses_at: Instant) {
        let mut notes = self.notes();
        notes.lapses_at = lapses_at;
        if matches!(sent, Patch::Extend { progress, .. } if *progress == notes.progress) {
            notes.progress = None;
        }
    }

    pub(crate) fn has_lapsed(&self, now: Instant) -> bool {
        self.notes().lapses_at <= now
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
