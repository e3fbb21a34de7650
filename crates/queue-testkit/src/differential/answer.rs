//! The answer of one of two stores.

use queue_core::{
    Applied, Attempt, Claimed, Counts, Enqueued, JobMeta, JobRecord, PartitionStatus, QueueStatus, Stamped,
};

/// An answer in which lives are numbered from one, without the parts that stores may choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Enqueued(Stamped<Vec<Vec<Enqueued>>>),
    Claimed(Claimed),
    Applied(Stamped<Vec<Applied>>),
    Jobs(Vec<JobMeta>),
    Records(Stamped<Vec<Option<JobRecord>>>),
    Attempts(Vec<(JobMeta, Vec<Attempt>)>),
    Counts(Counts),
    Queues(Vec<QueueStatus>),
    Partitions(Vec<PartitionStatus>),
    Pruned(u64),
    Nothing,
}
