//! The properties and optional features of a store.

use crate::{Error, ErrorKind, Limits};
use std::time::Duration;

/// The properties and optional features of a store, so that callers need not guess and tests know
/// what to skip.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is one thing that a store can do or not")]
pub struct Capabilities {
    /// The name of the store, for people.
    pub name: &'static str,
    /// What an acknowledged write survives.
    pub durability: Durability,
    /// Who can share the store.
    pub reach: Reach,
    /// How far the hints of the store reach.
    pub events: EventReach,
    /// Whether workers can announce themselves, which a store for one process can do without.
    pub presence: bool,
    /// Whether a queue can be paused, and a single kind of it, which is work in each claim.
    pub pause: bool,
    /// Whether the store keeps the attempts that were charged to a job, in a table of its own.
    pub attempts: bool,
    /// Whether the store takes whole records of another one, as `queue copy` needs.
    pub import: bool,
    /// Whether the store keeps series, which are entries beside the jobs.
    pub series: bool,
    /// The sizes that the store accepts.
    pub limits: Limits,
    /// How long the store waits for the answer of a call until it gives the call up, with an
    /// unknown outcome. Callers should wait a little longer. Default 30 s.
    pub call_timeout: Duration,
}

/// What an acknowledged write survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Durability {
    /// Nothing: the data is in the memory of this process.
    None,
    /// The end of the process; a power cut may lose the newest writes.
    Process,
    /// A power cut.
    Power,
}

/// Who can share a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reach {
    /// Handles in one process.
    Process,
    /// Processes of one host.
    Host,
    /// Hosts of one network.
    Network,
}

/// How far the hints of [`Storage::subscribe`](crate::Storage::subscribe) reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventReach {
    /// The store sends no hints; callers poll.
    None,
    /// Writes of this process are reported in full. Writes of other processes are reported by
    /// queue, never job by job: as [`Hint::Wake`](crate::Hint::Wake) and
    /// [`Hint::Missed`](crate::Hint::Missed).
    Process,
    /// Writes of all processes are reported in full.
    Store,
}

impl Capabilities {
    /// A store with only the mandatory verbs: no hints, no presence, no pause, no
    /// attempts, no import, no series, default limits.
    pub fn new(name: &'static str, durability: Durability, reach: Reach) -> Self {
        Self {
            name,
            durability,
            reach,
            events: EventReach::None,
            presence: false,
            pause: false,
            attempts: false,
            import: false,
            series: false,
            limits: Limits::default(),
            call_timeout: Duration::from_secs(30),
        }
    }

    /// Sets that jobs may have gates and end signals.
    #[must_use]
    pub fn with_gates(mut self) -> Self {
        self.limits.gates = true;
        self
    }

    /// Sets that jobs may have partitions, and queues limits.
    #[must_use]
    pub fn with_partitions(mut self) -> Self {
        self.limits.partitions = true;
        self
    }

    /// Sets how far hints reach.
    #[must_use]
    pub fn with_events(mut self, events: EventReach) -> Self {
        self.events = events;
        self
    }

    /// Sets the sizes that the store accepts.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        let Limits { gates, partitions, .. } = self.limits;
        self.limits =
            Limits { gates: gates || limits.gates, partitions: partitions || limits.partitions, ..limits };
        self
    }

    /// Sets after how long a call without an answer is given up.
    #[must_use]
    pub fn with_call_timeout(mut self, call_timeout: Duration) -> Self {
        self.call_timeout = call_timeout;
        self
    }

    /// Says that workers can announce themselves.
    #[must_use]
    pub fn with_presence(mut self) -> Self {
        self.presence = true;
        self
    }

    /// Says that a queue can be paused, and a single kind of it.
    #[must_use]
    pub fn with_pause(mut self) -> Self {
        self.pause = true;
        self
    }

    /// Says that the store keeps the attempts that were charged to a job.
    #[must_use]
    pub fn with_attempts(mut self) -> Self {
        self.attempts = true;
        self
    }

    /// Says that the store takes whole records of another one.
    #[must_use]
    pub fn with_import(mut self) -> Self {
        self.import = true;
        self
    }

    /// Says that the store keeps series.
    #[must_use]
    pub fn with_series(mut self) -> Self {
        self.series = true;
        self
    }
}

/// The error of a verb that a store does not have.
pub(super) fn unsupported(operation: &'static str) -> Error {
    Error::new(ErrorKind::Unsupported, operation, "this store does not offer it; see its capabilities")
}
