//! One job under a lease of this worker.

use super::{ClaimDetails, held_job_state::HeldJobState, time_limit::TimeLimit};
use crate::{handler::CancelReason, worker::rate::Reservation};
use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard};
use queue_core::{
    ClaimedJob, EndSignal, Headers, JobMeta, LeaseToken, NewJob, Payload, Span,
    lifecycle::{Event, Patch},
};
use std::sync::{
    OnceLock,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A job under a lease of this worker, from its claim until its settle is durable.
#[derive(Debug)]
pub(crate) struct HeldJob {
    entry: usize,
    queue_index: usize,
    meta: JobMeta,
    payload: Payload,
    headers: Headers,
    end_signals: Vec<EndSignal>,
    token: LeaseToken,
    /// Made for the first caller that wants to wait for it.
    cancel: OnceLock<CancellationToken>,
    reason: OnceLock<CancelReason>,
    /// The worker does not wait for the handler any more, also if it asked it to stop before.
    is_given_up: AtomicBool,
    /// See [`has_outcome`](Self::has_outcome).
    has_outcome: AtomicBool,
    time_limit: TimeLimit,
    /// When it is too late to start the job, by this process's own clock. It is late rather than
    /// early, since it rests on the store's time at the claim.
    expires_at: Option<Instant>,
    /// How many threads that nothing can stop work for the job.
    blocking: AtomicUsize,
    /// Whether a start was reserved for the job. Jobs of queues without a limit look no further.
    has_start: bool,
    state: Mutex<HeldJobState>,
}

impl HeldJob {
    /// `None` if a store claimed the job without its body, which breaks the contract.
    pub(in crate::worker) fn new(
        entry: usize,
        claimed: ClaimedJob,
        lapses_at: Instant,
        details: ClaimDetails,
    ) -> Option<Self> {
        let meta = &claimed.record.meta;
        let body = claimed.record.body?;
        let time_limit = TimeLimit::of_job(meta.terms.time_limit.map(Span::as_duration));
        let expires_at = meta.expires_at().map(|at| details.reading.reaches(at));
        Some(Self {
            entry,
            queue_index: details.queue_index,
            payload: body.payload,
            headers: body.headers,
            end_signals: body.end_signals,
            meta: claimed.record.meta,
            token: claimed.token,
            cancel: OnceLock::new(),
            reason: OnceLock::new(),
            is_given_up: AtomicBool::new(false),
            has_outcome: AtomicBool::new(false),
            time_limit,
            expires_at,
            blocking: AtomicUsize::new(0),
            has_start: details.start.is_some(),
            state: Mutex::new(HeldJobState {
                lapses_at,
                keep_until: None,
                reported: None,
                stored: None,
                then: Vec::new(),
                start: details.start,
            }),
        })
    }

    /// The job's entry among those that the worker holds.
    pub(crate) fn entry(&self) -> usize {
        self.entry
    }

    /// See [`WorkerRun::queues`](crate::worker::run::WorkerRun::queues).
    pub(crate) fn queue_index(&self) -> usize {
        self.queue_index
    }

    pub(crate) fn meta(&self) -> &JobMeta {
        &self.meta
    }

    pub(crate) fn payload(&self) -> &Payload {
        &self.payload
    }

    pub(crate) fn headers(&self) -> &Headers {
        &self.headers
    }

    /// What the job sends when it ends.
    pub(crate) fn end_signals(&self) -> &[EndSignal] {
        &self.end_signals
    }

    pub(crate) fn token(&self) -> LeaseToken {
        self.token
    }

    pub(crate) fn cancel_token(&self) -> &CancellationToken {
        // Under the lock, so that a caller who makes the token and one who cancels the job cannot
        // miss each other.
        let _in_turn = self.state();
        let token = self.cancel.get_or_init(CancellationToken::new);
        if self.reason.get().is_some() {
            token.cancel();
        }
        token
    }

    pub(crate) fn cancel_reason(&self) -> Option<CancelReason> {
        self.reason.get().copied()
    }

    /// Asks the handler to stop. The first reason stays.
    pub(crate) fn cancel(&self, reason: CancelReason) {
        if matches!(reason, CancelReason::LeaseLost | CancelReason::Shutdown) {
            self.give_up();
        }
        let token = {
            let _in_turn = self.state();
            let _first = self.reason.set(reason);
            self.cancel.get()
        };
        if let Some(token) = token {
            token.cancel();
        }
    }

    /// Notes that the lease has lapsed or is another worker's. The handler is asked to stop, and
    /// has the grace from now on.
    pub(crate) fn lose(&self) {
        self.cancel(CancelReason::LeaseLost);
        self.time_limit.lose(Instant::now());
    }

    /// Keeps parts of the handler that have not begun from beginning: another worker has the job by
    /// now, or will have it.
    pub(crate) fn give_up(&self) {
        self.is_given_up.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_given_up(&self) -> bool {
        self.is_given_up.load(Ordering::SeqCst)
    }

    /// Notes that the attempt is over.
    pub(in crate::worker) fn note_outcome(&self) {
        self.has_outcome.store(true, Ordering::SeqCst);
    }

    /// Whether the attempt is over. The settler has the outcome, or will have it after hooks of
    /// bounded time, and sends it until the store takes or refuses it.
    pub(in crate::worker) fn has_outcome(&self) -> bool {
        self.has_outcome.load(Ordering::SeqCst)
    }

    /// Whether a handler may begin: it would not be asked to stop at once, and the lease lasts. The
    /// clock is asked too, since a lease may have lapsed before a task noticed.
    pub(crate) fn may_start(&self) -> bool {
        self.cancel_reason().is_none() && self.lapses_at().is_some_and(|at| at > Instant::now())
    }

    /// Whether the job has not started by the time that its producer gave it, and must not any
    /// more.
    pub(crate) fn is_too_late(&self) -> bool {
        self.expires_at.is_some_and(|at| at <= Instant::now())
    }

    pub(crate) fn time_limit(&self) -> &TimeLimit {
        &self.time_limit
    }

    pub(crate) fn blocking_started(&self) {
        self.blocking.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn blocking_ended(&self) {
        self.blocking.fetch_sub(1, Ordering::SeqCst);
    }

    pub(crate) fn is_blocking(&self) -> bool {
        self.blocking.load(Ordering::SeqCst) > 0
    }

    pub(crate) fn set_progress(&self, progress: Bytes) {
        self.state().reported = Some(progress);
    }

    pub(crate) fn push_then(&self, job: NewJob) {
        self.state().then.push(job);
    }

    pub(crate) fn then(&self) -> Vec<NewJob> {
        self.state().then.clone()
    }

    pub(crate) fn take_then(&self) -> Vec<NewJob> {
        std::mem::take(&mut self.state().then)
    }

    /// Makes the next heartbeat, with progress that is not stored yet. It never shortens what the
    /// handler asked for.
    pub(crate) fn heartbeat(&self, lease: Span) -> Event {
        let state = self.state();
        let kept = state.keep_until.map(|until| until.saturating_duration_since(Instant::now()));
        let kept = kept.and_then(|rest| Span::new("lease", rest).ok()).unwrap_or(Span::ZERO);
        Event::Extend { token: self.token, by: lease.max(kept), progress: state.unstored().cloned() }
    }

    /// Has heartbeats make the lease last at least until this moment.
    pub(crate) fn keep_until(&self, until: Instant) {
        let mut state = self.state();
        state.keep_until = state.keep_until.max(Some(until));
    }

    /// The progress that a settle has to carry, since no heartbeat will.
    pub(crate) fn unstored_progress(&self) -> Option<Bytes> {
        self.state().unstored().cloned()
    }

    pub(crate) fn has_progress(&self) -> bool {
        self.state().unstored().is_some()
    }

    /// Notes that a heartbeat came through, with the progress that it carried.
    pub(crate) fn extended(&self, sent: &Patch, sent_at: Instant) {
        let Patch::Extend { by, progress } = sent else { return };
        let mut state = self.state();
        // An answer that was late must not shorten what a later beat gained.
        state.lapses_at = state.lapses_at.max(sent_at + by.as_duration());
        if progress.is_some() {
            state.stored.clone_from(progress);
        }
    }

    /// When the lease lapses; `None` once the job is given up.
    pub(crate) fn lapses_at(&self) -> Option<Instant> {
        (!self.is_given_up()).then(|| self.lease_end())
    }

    /// When the lease lapses, also that of a job that is given up.
    pub(in crate::worker) fn lease_end(&self) -> Instant {
        self.state().lapses_at
    }

    /// Takes the start that was reserved for the job. Dropped unused, it is free for another job.
    pub(in crate::worker) fn take_start(&self) -> Option<Reservation> {
        if self.has_start { self.state().start.take() } else { None }
    }

    /// Makes a job for a test. No store knows it, and its lease lasts.
    #[cfg(feature = "testing")]
    pub(crate) fn of_test(claimed: ClaimedJob) -> Self {
        let reading = super::ClockReading::now(claimed.record.meta.created_at);
        let lapses_at = Instant::now() + std::time::Duration::from_secs(24 * 3600);
        let held = Self::new(0, claimed, lapses_at, ClaimDetails { queue_index: 0, start: None, reading });
        held.expect("a test gives it a body")
    }

    /// The progress that the handler reported last.
    #[cfg(feature = "testing")]
    pub(crate) fn reported(&self) -> Option<Bytes> {
        self.state().reported.clone()
    }

    fn state(&self) -> MutexGuard<'_, HeldJobState> {
        self.state.lock()
    }
}
