//! The operations of random runs.

use queue_core::{
    OnFailed, OnWaiting, Retention, State,
    lifecycle::{Cause, OnRunning},
};

/// Few ids, workers and kinds, so that operations meet.
pub(crate) const IDS: [&str; 5] = ["a", "b", "c", "d", "e"];
pub(crate) const WORKERS: [&str; 2] = ["worker-1", "worker-2"];
/// The kinds; the last is one of the library's own.
pub(crate) const KINDS: [&str; 3] = ["email", "report", "queue.own"];
/// Tags, in order.
pub(crate) const TAGS: [&str; 2] = ["blue", "red"];
pub(crate) const CONTENT_TYPES: [&str; 2] = ["application/json", "text/plain"];

/// One step of a random run.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// One call that enqueues groups of jobs.
    Enqueue(Vec<Vec<New>>),
    /// A claim, whose leases later steps use.
    Claim { worker: usize, limit: usize, lease_ms: i64 },
    /// An event of the holder of one of the latest leases, live or not.
    Hold { hand: usize, how: How },
    /// A change without a lease.
    Change { id: usize, what: What },
    /// The rescue of all lapsed leases.
    Rescue,
    /// A prune.
    Prune(Doomed),
    /// A pause.
    Pause,
    /// A resume.
    Resume,
    /// A listing, page by page.
    List { filter: Filter, page: usize },
    /// Moves the clock forward.
    Pass(i64),
    /// Moves the clock to a moment that matters to some job, or just before or after it.
    Edge { nth: usize, off_ms: i64 },
    /// Sets the clock back.
    Back(i64),
    /// Closes the store and opens it again.
    Reopen,
}

/// A job to enqueue.
#[derive(Clone, Debug)]
pub(crate) struct New {
    pub(crate) id: usize,
    pub(crate) kind: usize,
    pub(crate) payload: Vec<u8>,
    /// One header, if it has any.
    pub(crate) header: Option<String>,
    /// Some of [`TAGS`].
    pub(crate) tags: Vec<&'static str>,
    pub(crate) priority: i16,
    pub(crate) delay_ms: i64,
    /// The time after the delay at which it expires.
    pub(crate) expires_after_ms: Option<i64>,
    pub(crate) time_limit_ms: Option<i64>,
    pub(crate) max_attempts: u32,
    pub(crate) max_stalls: u32,
    pub(crate) keep_completed: Retention,
    pub(crate) keep_failed: Retention,
    pub(crate) on_failed: OnFailed,
    pub(crate) on_waiting: OnWaiting,
    /// Whether it has a follow-up.
    pub(crate) is_mourned: bool,
    pub(crate) awaited: bool,
}

/// The events of holders.
#[derive(Clone, Debug)]
pub(crate) enum How {
    Complete {
        result: Vec<u8>,
        keep: Option<Retention>,
        then: Vec<New>,
    },
    Fail {
        cause: Cause,
        delay_ms: Option<i64>,
        keep: Option<Retention>,
        details: Option<Vec<u8>>,
        then: Vec<New>,
    },
    Release {
        then: Vec<New>,
    },
    Interrupt {
        progress: Option<Vec<u8>>,
        then: Vec<New>,
    },
    /// The end of a job that is too late to start.
    Expire,
    Snooze {
        delay_ms: i64,
        progress: Option<Vec<u8>>,
        then: Vec<New>,
    },
    Extend {
        by_ms: i64,
        progress: Option<Vec<u8>>,
    },
}

/// The changes that need no lease.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    Cancel(OnRunning),
    Await,
    Retain(Retention),
    /// A redrive, with one of the content types, if any.
    Redrive {
        as_type: Option<usize>,
    },
    /// The end of a job that was not started in time.
    Expire,
    Promote,
    Reschedule {
        delay_ms: i64,
    },
    Delete,
}

/// The records that a prune removes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Doomed {
    Expired,
    FinishedBefore { age_ms: i64 },
    Everything,
}

/// The jobs that a listing shows.
#[derive(Clone, Debug)]
pub(crate) enum Filter {
    Match { states: Vec<State>, worker: Option<usize>, kind: Option<usize> },
    Lapsed,
}
