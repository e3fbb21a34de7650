//! The requests to change a job.

use crate::{
    ContentType, Failure, LeaseToken, NewJob, Payload, Retention, Span, Timestamp, lifecycle::Amendment,
};
use bytes::Bytes;

/// A request to change a job.
#[derive(Clone, Debug)]
pub enum Event {
    /// The holder has completed the job.
    Complete {
        /// Proof of holding the lease.
        token: LeaseToken,
        /// The result to keep; `()` is encoded bytes too.
        result: Payload,
        /// Overrides the job's own retention for this outcome.
        retention: Option<Retention>,
        /// Jobs to enqueue in the same atomic step; see
        /// [`Transition::then`](crate::lifecycle::Transition::then).
        then: Vec<NewJob>,
    },
    /// The attempt of the holder failed.
    Fail {
        /// Proof of holding the lease.
        token: LeaseToken,
        /// What went wrong.
        failure: Failure,
        /// Whether another attempt can help.
        cause: Cause,
        /// Overrides the wait of the policy before the next attempt.
        delay: Option<Span>,
        /// Overrides the job's own retention, if this failure is final.
        retention: Option<Retention>,
        /// Jobs to enqueue in the same atomic step, if this failure is final; a failure that is
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
    /// The holder gives the job back unworked, to be claimed later; nothing is charged.
    PutBack {
        /// Proof of holding the lease.
        token: LeaseToken,
        /// Not claimed before this has passed.
        delay: Span,
    },
    /// The holder gives a started job back, as at a shutdown; nothing is charged. Unlike a job that
    /// is given back unworked, it has started, and so it does not expire any more.
    Interrupt {
        /// Proof of holding the lease.
        token: LeaseToken,
        /// Replaces the stored progress, if given.
        progress: Option<Bytes>,
        /// Jobs to enqueue in the same atomic step.
        then: Vec<NewJob>,
    },
    /// The holder has started the job and asks for another attempt later; nothing is charged, and
    /// the job does not expire any more.
    Snooze {
        /// Proof of holding the lease.
        token: LeaseToken,
        /// Not claimed before this has passed.
        delay: Span,
        /// Replaces the stored progress, if given; the next attempt starts from it.
        progress: Option<Bytes>,
        /// Jobs to enqueue in the same atomic step.
        then: Vec<NewJob>,
    },
    /// The holder has not failed, and the job is to wait behind its gate, uncharged, until the gate
    /// opens. It gets a gate if it has none. Jobs in `then` may [raise](crate::EndSignal::raises)
    /// it, complete or not, so a job can wait for children in rounds. A gate that is complete after
    /// them is opened in the same step.
    Suspend {
        /// Proof of holding the lease.
        token: LeaseToken,
        /// How many signals the gate needs in all, with what it has counted, and beside one for
        /// each job in `then` that raises it; `None` keeps that.
        needs: Option<u64>,
        /// Seals the gate; one that is sealed stays so.
        seals: bool,
        /// Whether urgent signals open the gate. If a signal of a job that did not complete came
        /// since the claim, the job is then due at once.
        heeds_urgent: bool,
        /// How long the gate may stay closed; `None` is for ever.
        timeout: Option<Span>,
        /// Replaces the progress, if given.
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
    /// The job has not started by the time that its producer set, so it is Cancelled, uncharged.
    /// The event needs no guard on the clock: store time never goes back, so a time from any reply
    /// stays valid.
    Expire {
        /// The store's time, from a reply. Only a job that is [too
        /// late](crate::JobMeta::is_too_late) at this time is ended.
        now: Timestamp,
        /// Proof of holding the lease, from a holder that has not started the job; `None` from any
        /// caller that reads that a job [is expired](crate::JobMeta::is_expired).
        token: Option<LeaseToken>,
    },
    /// A caller noticed that the lease has lapsed.
    Lapse,
    /// A producer cancels the job.
    Cancel {
        /// What to do if the job runs.
        processing: OnProcessing,
    },
    /// A caller waits for the outcome.
    Await,
    /// Keep the outcome for another time, counted from now.
    SetRetention(Retention),
    /// Run a Failed or Cancelled job again with fresh budgets; it does not expire any more.
    Redrive {
        /// Replaces the payload's content type, if given; its bytes stay as they are.
        content_type: Option<ContentType>,
    },
    /// Make a waiting job due now.
    Promote,
    /// Change the due time of a waiting job, which may be earlier or later than before: the inverse
    /// of [`Promote`](Self::Promote). A job that would expire before the new time still does.
    Reschedule {
        /// The wait until the job is due, counted from the change; [`Span::MAX`] parks it until it
        /// is promoted.
        delay: Span,
    },
    /// Change a waiting job in place: payload, priority, due time or retention.
    Amend(Amendment),
    /// Seals the gate of an unfinished job: it opens as soon as it has counted what it needs.
    Seal,
    /// Remove the record, with its result, so that its id is free. Refused while the job runs.
    Delete,
}

impl Event {
    /// [`Release`](Self::Release) without followers.
    pub const fn release(token: LeaseToken) -> Self {
        Self::Release { token, then: Vec::new() }
    }

    /// [`Interrupt`](Self::Interrupt) without new progress and without followers.
    pub const fn interrupt(token: LeaseToken) -> Self {
        Self::Interrupt { token, progress: None, then: Vec::new() }
    }

    /// [`Snooze`](Self::Snooze) without new progress and without followers.
    pub const fn snooze(token: LeaseToken, delay: Span) -> Self {
        Self::Snooze { token, delay, progress: None, then: Vec::new() }
    }
}

/// The kind of a failure.
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

/// What a cancel does to a running job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OnProcessing {
    /// Nothing; the answer says that the job runs.
    Leave,
    /// The holder learns of it with its next heartbeat, and any outcome except completion becomes
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
    /// [`Event::Suspend`].
    Suspend,
}

impl Settle {
    /// Every settle, in the order in which stores number them.
    pub const ALL: [Self; 6] =
        [Self::Complete, Self::Fail, Self::Release, Self::Snooze, Self::Expire, Self::Suspend];

    /// The stable number that stores write.
    pub const fn as_code(self) -> u8 {
        self as u8
    }

    /// The settle of a stored number.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }
}
