//! The operations of random runs.

use queue_core::{
    OnFailed, OnWaiting, Retention, State,
    lifecycle::{Cause, OnRunning},
};

/// Ids, workers and kinds are few, so that operations meet.
pub(crate) const IDS: [&str; 5] = ["a", "b", "c", "d", "e"];
pub(crate) const WORKERS: [&str; 2] = ["worker-1", "worker-2"];
/// The last is one of the library's own.
pub(crate) const KINDS: [&str; 3] = ["email", "report", "queue.own"];
/// Tags, in order.
pub(crate) const TAGS: [&str; 2] = ["blue", "red"];
pub(crate) const CONTENT_TYPES: [&str; 2] = ["application/json", "text/plain"];

/// One step of a random run.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// Groups of jobs in one call.
    Enqueue(Vec<Vec<New>>),
    /// Takes leases, which later steps hold in hand.
    Claim { worker: usize, limit: usize, lease_ms: i64 },
    /// The holder of one of the latest leases, live or not, does something with it.
    Hold { hand: usize, how: How },
    /// Somebody else changes a job.
    Change { id: usize, what: What },
    /// Everything that lapsed is ended.
    Rescue,
    /// Records go.
    Prune(Doomed),
    /// Claims stop.
    Pause,
    /// Claims go on.
    Resume,
    /// Page by page.
    List { filter: Filter, page: usize },
    /// The clock goes on.
    Pass(i64),
    /// The clock goes to a moment that matters to some job, or just before or after it.
    Edge { nth: usize, off_ms: i64 },
    /// The clock is set back.
    Back(i64),
    /// The store is closed and opened.
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
    /// Behind the delay.
    pub(crate) expires_after_ms: Option<i64>,
    pub(crate) time_limit_ms: Option<i64>,
    pub(crate) max_attempts: u32,
    pub(crate) max_stalls: u32,
    pub(crate) keep_completed: Retention,
    pub(crate) keep_failed: Retention,
    pub(crate) on_failed: OnFailed,
    pub(crate) on_waiting: OnWaiting,
    /// Another job follows if it fails for good.
    pub(crate) is_mourned: bool,
    pub(crate) awaited: bool,
}

/// What holders do.
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
    /// Its holder finds that it is too late to start it.
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

/// What everybody may do.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    Cancel(OnRunning),
    Await,
    Retain(Retention),
    /// With one of the content types, if any.
    Redrive {
        as_type: Option<usize>,
    },
    /// Somebody reads that it was not started in time.
    Expire,
    Promote,
    Reschedule {
        delay_ms: i64,
    },
    Delete,
}

/// Which records go.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Doomed {
    Expired,
    FinishedBefore { age_ms: i64 },
    Everything,
}

/// Which jobs are listed.
#[derive(Clone, Debug)]
pub(crate) enum Filter {
    Match { states: Vec<State>, worker: Option<usize>, kind: Option<usize> },
    Lapsed,
}
