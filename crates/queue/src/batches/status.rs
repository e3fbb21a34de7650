//! The status of a batch.

use super::{
    BatchCounts, BatchLife, BatchName, BatchProgress, BatchSpec,
    found::{FoundBatch, is_abandoned},
};
use queue_core::{JobMeta, Seq, Span, Timestamp};

/// The status of a batch when it was read. Each member is counted once, however often it was run
/// again.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct BatchStatus {
    /// The name.
    pub name: BatchName,
    /// The number of this life of the name.
    pub seq: Seq,
    /// How many members were added.
    pub added: u64,
    /// How many completed.
    pub completed: u64,
    /// How many failed.
    pub failed: u64,
    /// How many were cancelled or deleted, or expired.
    pub cancelled: u64,
    /// How many had not ended: they wait or run. All counts stay as they were at
    /// [`counted_until`](Self::counted_until).
    pub waiting: u64,
    /// No more members come from outside.
    pub is_sealed: bool,
    /// The store time at which the callback for the first failure was enqueued; `None` without
    /// such a callback.
    pub first_failure: Option<Timestamp>,
    /// The store time at which the batch ended and its callbacks were enqueued.
    pub ended_at: Option<Timestamp>,
    /// The batch ended at its time-out.
    pub timed_out: bool,
    /// The batch was cancelled, and ends once its members have ended.
    pub was_cancelled: bool,
    /// The batch was abandoned: no callback runs.
    pub is_abandoned: bool,
    /// How the batch was opened.
    pub spec: BatchSpec,
    /// The metadata of the job that the batch is.
    pub meta: JobMeta,
    pub(super) progress: BatchProgress,
}

impl BatchStatus {
    pub(super) fn of(found: FoundBatch) -> Self {
        let counts = found.counts();
        let BatchCounts { added, completed, failed, cancelled } = counts;
        let FoundBatch { life, spec, progress, meta, halt } = found;
        let end = progress.end;
        Self {
            name: life.name().clone(),
            seq: life.seq(),
            added,
            completed,
            failed,
            cancelled,
            waiting: counts.waiting(),
            is_sealed: meta.gate.as_ref().is_some_and(|gate| gate.is_sealed),
            first_failure: progress.first_failure_ms.map(Timestamp::from_millis),
            ended_at: end.map(|end| Timestamp::from_millis(end.at_ms)),
            timed_out: end.is_some_and(|end| end.timed_out),
            was_cancelled: end.map_or(halt.is_some(), |end| end.was_cancelled),
            is_abandoned: is_abandoned(&meta),
            spec,
            meta,
            progress,
        }
    }

    /// The life of the name, which makes the ids and the tag of its members.
    pub fn life(&self) -> BatchLife {
        BatchLife::new(self.name.clone(), self.seq)
    }

    /// Until when the members were counted, by store time, if the counting ended before they did:
    /// at the time-out, or when the batch was abandoned. The counts are as they were then. `None`
    /// for a batch that counts, and for one of which all members had ended.
    pub fn counted_until(&self) -> Option<Timestamp> {
        match self.ended_at {
            _ if self.waiting == 0 => None,
            Some(ended_at) => self.timed_out.then_some(ended_at),
            None => self.is_abandoned.then(|| self.meta.entered_at()),
        }
    }

    /// When the batch ends at the latest, by store time; `None` once it is over.
    pub fn timeout_at(&self) -> Option<Timestamp> {
        (!self.is_over()).then(|| self.meta.created_at + self.spec.timeout())
    }

    /// How long the members are kept after the end. `None` if the batch was abandoned: they are
    /// kept until they are [swept](super::Batches::sweep) or deleted.
    pub fn kept_for(&self) -> Option<Span> {
        (!self.is_abandoned).then(|| self.spec.keep())
    }

    /// Whether the batch has ended or was abandoned, so that nothing can be added any more.
    pub const fn is_over(&self) -> bool {
        self.ended_at.is_some() || self.is_abandoned
    }
}
