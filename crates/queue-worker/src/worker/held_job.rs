use super::{rate::Reservation, time_limit::TimeLimit, told::Told};
use crate::handler::CancelReason;
use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard};
use queue_core::{
    ClaimedJob, Headers, JobMeta, LeaseToken, NewJob, Payload, Span,
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
    place: usize,
    lane: usize,
    meta: JobMeta,
    payload: Payload,
    headers: Headers,
    token: LeaseToken,
    /// Made for whoever first wants to wait for it.
    cancel: OnceLock<CancellationToken>,
    reason: OnceLock<CancelReason>,
    /// Nobody waits for its handler any more, whatever that was told first.
    is_given_up: AtomicBool,
    time_limit: TimeLimit,
    /// From here on it is too late to start it, by this process's own clock: late rather than early, as all of it rests on
    /// what the store told when it was claimed.
    expires_at: Option<Instant>,
    /// Work on threads of their own that nothing can end.
    blocking: AtomicUsize,
    notes: Mutex<Notes>,
}

/// What a job takes up while it is held.
#[derive(Debug)]
pub(crate) struct Room {
    /// Its queue, by its place among the worker's.
    pub(crate) lane: usize,
    /// The start that was reserved for it, if its queue has a rate limit.
    pub(crate) start: Option<Reservation>,
    /// What the answer to its claim told of the time.
    pub(crate) told: Told,
}

/// What changes while the job is held.
#[derive(Debug)]
struct Notes {
    /// When the lease lapses, by this process's own clock: counted from before the request was sent, so it is early
    /// rather than late.
    lapses_at: Instant,
    /// The handler asked that the lease last until then, without another heartbeat.
    keep_until: Option<Instant>,
    /// What the handler last reported.
    reported: Option<Bytes>,
    /// What the store last answered to have. Answers may overtake each other, so it need not be the newest.
    stored: Option<Bytes>,
    /// To be enqueued with the completion.
    then: Vec<NewJob>,
    /// Until it starts, or is let go, though a context may live on.
    start: Option<Reservation>,
}

impl HeldJob {
    /// `None` if a store claimed the job without its body, which breaks the contract.
    pub(crate) fn new(place: usize, claimed: ClaimedJob, lapses_at: Instant, room: Room) -> Option<Self> {
        let meta = &claimed.record.meta;
        let body = claimed.record.body?;
        let time_limit = TimeLimit::of_job(meta.time_limit.map(Span::as_duration));
        let expires_at = meta.expires_at().map(|at| room.told.reaches(at));
        Some(Self {
            place,
            lane: room.lane,
            payload: body.payload,
            headers: body.headers,
            meta: claimed.record.meta,
            token: claimed.token,
            cancel: OnceLock::new(),
            reason: OnceLock::new(),
            is_given_up: AtomicBool::new(false),
            time_limit,
            expires_at,
            blocking: AtomicUsize::new(0),
            notes: Mutex::new(Notes {
                lapses_at,
                keep_until: None,
                reported: None,
                stored: None,
                then: Vec::new(),
                start: room.start,
            }),
        })
    }

    /// Where it stands among the jobs that the worker holds.
    pub(crate) fn place(&self) -> usize {
        self.place
    }

    /// Its queue, by its place among the worker's.
    pub(crate) fn lane(&self) -> usize {
        self.lane
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

    pub(crate) fn token(&self) -> LeaseToken {
        self.token
    }

    pub(crate) fn cancel_token(&self) -> &CancellationToken {
        // Under the lock, so that neither misses the other: whoever makes the token and whoever cancels the job.
        let _in_turn = self.notes();
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
            let _in_turn = self.notes();
            let _first = self.reason.set(reason);
            self.cancel.get()
        };
        if let Some(token) = token {
            token.cancel();
        }
    }

    /// The lease has lapsed or is another's. Its handler is told, and has the grace from now on.
    pub(crate) fn lose(&self) {
        self.cancel(CancelReason::LeaseLost);
        self.time_limit.lose(Instant::now());
    }

    /// Whatever of its handler has not begun must not begin: the job is another's by now, or will be.
    pub(crate) fn give_up(&self) {
        self.is_given_up.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_given_up(&self) -> bool {
        self.is_given_up.load(Ordering::SeqCst)
    }

    /// Whether a handler may begin: it would not be told to stop at once, and the lease lasts. By the clock too, since a
    /// lease may have lapsed before anybody saw it.
    pub(crate) fn may_start(&self) -> bool {
        self.cancel_reason().is_none() && self.lapses_at().is_some_and(|at| at > Instant::now())
    }

    /// It did not start by the time that its producer gave it, and must not any more.
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
        self.notes().reported = Some(progress);
    }

    pub(crate) fn push_then(&self, job: NewJob) {
        self.notes().then.push(job);
    }

    pub(crate) fn then(&self) -> Vec<NewJob> {
        self.notes().then.clone()
    }

    pub(crate) fn take_then(&self) -> Vec<NewJob> {
        std::mem::take(&mut self.notes().then)
    }

    /// The next heartbeat, with progress that is not stored yet. It never shortens what the handler asked for.
    pub(crate) fn heartbeat(&self, lease: Span) -> Event {
        let notes = self.notes();
        let kept = notes.keep_until.map(|until| until.saturating_duration_since(Instant::now()));
        let kept = kept.and_then(|rest| Span::new("lease", rest).ok()).unwrap_or(Span::ZERO);
        Event::Extend { token: self.token, by: lease.max(kept), progress: notes.unstored().cloned() }
    }

    /// Asks that heartbeats make the lease last at least until then.
    pub(crate) fn keep_until(&self, until: Instant) {
        let mut notes = self.notes();
        notes.keep_until = notes.keep_until.max(Some(until));
    }

    /// What a settle has to carry, since no heartbeat will.
    pub(crate) fn unstored_progress(&self) -> Option<Bytes> {
        self.notes().unstored().cloned()
    }

    pub(crate) fn has_progress(&self) -> bool {
        self.notes().unstored().is_some()
    }

    /// A heartbeat that was sent then is through, with the progress that it carried.
    pub(crate) fn extended(&self, sent: &Patch, sent_at: Instant) {
        let Patch::Extend { by, progress } = sent else { return };
        let mut notes = self.notes();
        // An answer that was late must not shorten what a later beat gained.
        notes.lapses_at = notes.lapses_at.max(sent_at + by.as_duration());
        if progress.is_some() {
            notes.stored.clone_from(progress);
        }
    }

    /// When the job is to be given up, unless it is already.
    pub(crate) fn lapses_at(&self) -> Option<Instant> {
        (!self.is_given_up()).then(|| self.notes().lapses_at)
    }

    /// The start that was reserved for it; it is free for another job unless it is used.
    pub(crate) fn take_start(&self) -> Option<Reservation> {
        self.notes().start.take()
    }

    /// A job that a test made. No store knows it, and its lease lasts.
    #[cfg(feature = "testing")]
    pub(crate) fn of_test(claimed: ClaimedJob) -> Self {
        let told = Told::just(claimed.record.meta.created_at);
        let lapses_at = Instant::now() + std::time::Duration::from_secs(24 * 3600);
        let held = Self::new(0, claimed, lapses_at, Room { lane: 0, start: None, told });
        held.expect("a test gives it a body")
    }

    /// What the handler reported last.
    #[cfg(feature = "testing")]
    pub(crate) fn reported(&self) -> Option<Bytes> {
        self.notes().reported.clone()
    }

    /// What the handler wants enqueued with the completion.
    #[cfg(feature = "testing")]
    pub(crate) fn followers(&self) -> Vec<NewJob> {
        self.notes().then.clone()
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock()
    }
}

impl Notes {
    fn unstored(&self) -> Option<&Bytes> {
        self.reported.as_ref().filter(|reported| self.stored.as_ref() != Some(reported))
    }
}
