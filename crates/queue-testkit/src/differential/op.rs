//! What the random verbs are about: jobs, and what is done to them.

use queue_core::{
    NewGate, OnFailed, OnWaiting, Retention, State,
    lifecycle::{Cause, OnProcessing},
};

/// Ids, workers and kinds are few, so that operations meet.
pub(super) const IDS: [&str; 5] = ["a", "b", "c", "d", "e"];
pub(super) const WORKERS: [&str; 2] = ["worker-1", "worker-2"];
/// The last is one of the library's own.
pub(super) const KINDS: [&str; 3] = ["email", "report", "queue.own"];
/// Tags, in order.
pub(super) const TAGS: [&str; 2] = ["blue", "red"];
/// A queue has few partitions, so that their jobs meet.
pub(super) const PARTITIONS: [&str; 2] = ["acme", "zeta"];
pub(super) const CONTENT_TYPES: [&str; 2] = ["application/json", "text/plain"];

/// A job to enqueue.
#[derive(Clone, Debug)]
pub(super) struct New {
    pub(super) id: usize,
    pub(super) kind: usize,
    pub(super) payload: Vec<u8>,
    /// One header, if it has any.
    pub(super) header: Option<String>,
    /// Some of [`TAGS`].
    pub(super) tags: Vec<&'static str>,
    pub(super) priority: i16,
    pub(super) delay_ms: i64,
    /// Behind the delay.
    pub(super) expires_after_ms: Option<i64>,
    pub(super) time_limit_ms: Option<i64>,
    pub(super) max_attempts: u32,
    pub(super) max_stalls: u32,
    pub(super) keep_completed: Retention,
    pub(super) keep_failed: Retention,
    pub(super) on_failed: OnFailed,
    pub(super) on_waiting: OnWaiting,
    /// Another job follows if it fails for good.
    pub(super) is_mourned: bool,
    pub(super) awaited: bool,
    pub(super) gate: Option<NewGate>,
    pub(super) signals: Vec<Signal>,
}

/// An end signal, to one of [`IDS`].
#[derive(Clone, Debug)]
pub(super) struct Signal {
    pub(super) to: usize,
    pub(super) raises: bool,
    pub(super) tolerant: bool,
    pub(super) urgent: bool,
}

/// What holders do.
#[derive(Clone, Debug)]
pub(super) enum How {
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
    Suspend {
        needs: Option<u64>,
        seals: bool,
        heeds_urgent: bool,
        timeout_ms: Option<i64>,
        then: Vec<New>,
    },
    Extend {
        by_ms: i64,
        progress: Option<Vec<u8>>,
    },
}

/// What a caller may do without a lease.
#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    Cancel(OnProcessing),
    Await,
    Retain(Retention),
    /// With one of the content types, if any.
    Redrive {
        as_type: Option<usize>,
    },
    /// A reader finds that it was not started in time.
    Expire,
    Promote,
    Reschedule {
        delay_ms: i64,
    },
    Amend {
        payload: Option<u8>,
        priority: Option<i16>,
        delay_ms: Option<i64>,
        keep: Option<Retention>,
    },
    Seal,
    Delete,
}

/// Which records go.
#[derive(Clone, Copy, Debug)]
pub(super) enum Doomed {
    Expired,
    FinishedBefore { age_ms: i64 },
    Everything,
}

/// Which jobs are listed.
#[derive(Clone, Debug)]
pub(super) enum Filter {
    Match { states: Vec<State>, worker: Option<usize>, kind: Option<usize> },
    Lapsed,
}
