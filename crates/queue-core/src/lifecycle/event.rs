use crate::{ContentType, Failure, LeaseToken, NewJob, Payload, Retention, Span, Timestamp};
use bytes::Bytes;

/// What somebody wants to happen to a job.
#[derive(Clone, Debug)]
pub enum Event {
    /// The holder is done.
    Complete {
        /// Proof of holding the lease.
        token: LeaseToken,
        /// What to keep; `()` is encoded bytes too.
        result: Payload,
        /// Overrides the job's own retention for this outcome.
        retention: Option<Retention>,
        /// Jobs to enqueue in the same atomic step; see
        /// [`Transition::then`](crate::lifecycle::Transition::then).
        then: Vec<NewJob>,
    },
    /// The holder's attempt failed.
    Fail {
        /// Proof of holding the lease.
        token: LeaseToken,
        /// What went wrong.
        failure: Failure,
        /// Whether another attempt can help.
        cause: Cause,
        /// Overrides the policy's wait before the next attempt.
        delay: Option<Span>,
        /// Overrides the job's own retention, should this failure be final.
        retention: Option<Retention>,
        /// Jobs to enqueue in the same atomic step, should this failure be final; a failure that is
        /// retried enqueues none.
        then: Vec<NewJob>,
    },
    /// The holder gives the job back unworked; nothing is charged.
    Release {
        /// Proof of holding the lease.
        token: LeaseToken,
        /// Jobs to enqueue in the same atomic step.
        then: Vec<NewJob>,
    },
    /// The same for later.
    PutBack {
        /// Proof of holding the lease.
        token: LeaseToken,
        /// Not claimed before this has passed.
        delay: Span,
    },
    /// The holder gives the job back half-way, as at a shutdown; nothing is charged. Other than one
    /// that is given back unworked, it has started, and so it does not expire any more.
    Interrupt {
        /// Proof of holding the lease.
        token: LeaseToken,
        /// Replaces the stored progress, if given.
        progress: Option<Bytes>,
        /// Jobs to enqueue in the same atomic step.
        then: Vec<NewJob>,
    },
    /// The holder has started the job and wants to be called again later; nothing is charged, and
    /// it does not expire any more.
    Snooze {
        /// Proof of holding the lease.
        token: LeaseToken,
        /// Not claimed before this has passed.
        delay: Span,
        /// Replaces the stored progress, if given: what the next attempt starts from.
        progress: Option<Bytes>,
        /// Jobs to enqueue in the same atomic step.
        then: Vec<NewJob>,
    },
    /// The holder's heartbeat.
    Extend {
        /// Proof of holding the lease.
        token: LeaseToken,
        /// The lease then lapses this long from now.
        by: Span,
        /// Replaces the stored progress.
        progress: Option<Bytes>,
    },
    /// The job has not started by the time that its producer gave it, and is Cancelled for it,
    /// uncharged. It takes no guard on the clock: store time never goes back, so what a reply told
    /// of it stays true.
    Expire {
        /// The store's time, as a reply told it; at most a job that is [too
        /// late](crate::JobMeta::is_too_late) by it is ended.
        now: Timestamp,
        /// Proof of holding the lease, from a holder that has not started the job; `None` from
        /// anybody who reads that a job [is expired](crate::JobMeta::is_expired).
        token: Option<LeaseToken>,
    },
    /// Anybody noticed that the lease lapsed.
    Lapse,
    /// A producer takes the job back.
    Cancel {
        /// What to do about a job that runs.
        running: OnRunning,
    },
    /// Somebody waits for the outcome.
    Await,
    /// The outcome shall stay for another time from now.
    SetRetention(Retention),
    /// A Failed or Cancelled job shall run again with fresh budgets, and does not expire any more.
    Redrive {
        /// Replaces the payload's content type, if given; its bytes stay as they are.
        content_type: Option<ContentType>,
    },
    /// A waiting job shall be due now.
    Promote,
    /// A waiting job shall not be claimed before this has passed, whenever it was due before: the
    /// inverse of [`Promote`](Self::Promote). A job that would expire before then still does.
    Reschedule {
        /// Counted from the change; [`Span::MAX`] parks it until somebody promotes it.
        delay: Span,
    },
    /// The record shall go, with its result and its claim on the id. Refused while it runs.
    Delete,
}

impl Event {
    /// [`Release`](Self::Release) with nothing following.
    pub const fn release(token: LeaseToken) -> Self {
        Self::Release { token, then: Vec::new() }
    }

    /// [`Interrupt`](Self::Interrupt) with progress as it was and nothing following.
    pub const fn interrupt(token: LeaseToken) -> Self {
        Self::Interrupt { token, progress: None, then: Vec::new() }
    }

    /// [`Snooze`](Self::Snooze) with progress as it was and nothing following.
    pub const fn snooze(token: LeaseToken, delay: Span) -> Self {
        Self::Snooze { token, delay, progress: None, then: Vec::new() }
    }
}

/// What kind of failure it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// Another attempt may help.
    Retryable,
    /// No further attempt can help.
    Terminal,
    /// The worker has no handler for the kind; the policy says what that means.
    UnknownKind,
    /// The payload could not be decoded; the policy says what that means.
    Undecodable,
}

/// What cancelling does to a job that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OnRunning {
    /// Nothing; the answer says that it runs.
    Leave,
    /// Its holder is told with the next heartbeat, and any outcome but completion becomes
    /// Cancelled.
    Request,
}

/// The events that end a lease. A store remembers the last one, so that a settle sent twice is
/// answered twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Settle {
    /// [`Event::Complete`].
    Complete,
    /// [`Event::Fail`].
    Fail,
    /// [`Event::Release`] or [`Event::Interrupt`].
    Release,
    /// [`Event::Snooze`] or [`Event::PutBack`].
    Snooze,
    /// [`Event::Expire`] by the holder.
    Expire,
}

impl Settle {
    /// Every settle, in the order in which stores number them.
    pub const ALL: [Self; 5] = [Self::Complete, Self::Fail, Self::Release, Self::Snooze, Self::Expire];

    /// The stable number that stores write.
    pub const fn as_code(self) -> u8 {
        self as u8
    }

    /// The settle of a stored number.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }
}
