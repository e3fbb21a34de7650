//! The verbs of a store into which faults can be injected.

/// A verb of [`Storage`](queue_core::Storage) that can go wrong. `capabilities` and `close` cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum StorageVerb {
    /// Stores jobs.
    Enqueue,
    /// Leases jobs; the only verb that must not be sent twice.
    Claim,
    /// Applies transitions.
    Apply,
    /// Reads by id.
    Get,
    /// Reads page by page.
    List,
    /// Reads the attempts of a job.
    Attempts,
    /// Counts by state.
    Counts,
    /// Lists queues.
    Queues,
    /// Removes records.
    Prune,
    /// Stores whole records.
    Import,
    /// Stops or resumes claims of a queue, or of a kind.
    SetPaused,
    /// Sets limits of a queue.
    SetLimits,
    /// Reads the limits of a queue.
    Limits,
    /// Lists partitions.
    Partitions,
    /// Opens a stream of hints.
    Subscribe,
    /// Announces a worker.
    Announce,
    /// Asks a worker to drain, to pause or to work.
    SetDuty,
    /// Lists the announced workers.
    Workers,
    /// Writes an entry of a series.
    WriteSeries,
    /// Reads entries of a series.
    ReadSeries,
    /// Cross-checks the store.
    Verify,
    /// Looks at the health of the store.
    Diagnose,
}

impl StorageVerb {
    /// Every verb.
    pub const ALL: &[Self] = &[
        Self::Enqueue,
        Self::Claim,
        Self::Apply,
        Self::Get,
        Self::List,
        Self::Attempts,
        Self::Counts,
        Self::Queues,
        Self::Prune,
        Self::Import,
        Self::SetPaused,
        Self::SetLimits,
        Self::Limits,
        Self::Partitions,
        Self::Subscribe,
        Self::Announce,
        Self::SetDuty,
        Self::Workers,
        Self::WriteSeries,
        Self::ReadSeries,
        Self::Verify,
        Self::Diagnose,
    ];

    /// The verbs that a worker or a client depends on.
    pub const CORE: &[Self] =
        &[Self::Enqueue, Self::Claim, Self::Apply, Self::Get, Self::List, Self::Counts, Self::Prune];

    /// Whether sending it twice has the same effect as sending it once.
    pub const fn is_idempotent(self) -> bool {
        !matches!(self, Self::Claim)
    }

    /// The name that errors use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Enqueue => "enqueue",
            Self::Claim => "claim",
            Self::Apply => "apply",
            Self::Get => "get",
            Self::List => "list",
            Self::Attempts => "attempts",
            Self::Counts => "counts",
            Self::Queues => "queues",
            Self::Prune => "prune",
            Self::Import => "import",
            Self::SetPaused => "set_paused",
            Self::SetLimits => "set_limits",
            Self::Limits => "limits",
            Self::Partitions => "partitions",
            Self::Subscribe => "subscribe",
            Self::Announce => "announce",
            Self::SetDuty => "set_duty",
            Self::Workers => "workers",
            Self::WriteSeries => "write_series",
            Self::ReadSeries => "read_series",
            Self::Verify => "verify",
            Self::Diagnose => "diagnose",
        }
    }
}
