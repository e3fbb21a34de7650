//! What a copy reports while it runs, and at its end.

use super::JobTally;
use queue_core::{JobId, QueueName, Seq};

/// How far a copy has come.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CopyProgress<'c> {
    /// The queue that is copied.
    pub queue: &'c QueueName,
    /// What is done with it.
    pub phase: CopyPhase,
    /// How many of its jobs are done.
    pub done: u64,
    /// How many there are, as far as is known. While the copy waits: how many are being processed.
    pub total: u64,
}

/// The steps of the copy of one queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CopyPhase {
    /// Jobs that are being processed are waited for.
    Waiting,
    /// Records are read and stored.
    Copying,
    /// Records are read from both stores and compared.
    Verifying,
}

/// What a copy did.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CopyReport {
    /// The queues, in the order in which they were copied.
    pub queues: Vec<QueueCopy>,
    /// Nothing was written.
    pub is_dry_run: bool,
}

/// What a copy did with one queue.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct QueueCopy {
    /// The queue.
    pub queue: QueueName,
    /// Jobs that this run stored in the target; in a dry run those that it would store.
    pub stored: u64,
    /// Jobs that were there already.
    pub present: u64,
    /// Records whose purge time has passed, and which are therefore not copied.
    pub purged: u64,
    /// Jobs that were being processed when they were read, and are copied as if given back. In a
    /// dry run also those that a copy would wait for.
    pub held: u64,
    /// The records of the source, as they were read at the end.
    pub source: JobTally,
    /// The same records in the target.
    pub target: JobTally,
    /// Jobs that reached the source during the copy, and are not in the target. Run the copy again
    /// for them.
    pub late: u64,
    /// How many other records the target lacks or has otherwise.
    pub differing: u64,
    /// The first of them.
    pub differing_ids: Vec<JobId>,
    /// How many records only the target has. Not counted if the copy adds.
    pub foreign: u64,
    /// The newest number of the source when the copy began; `None` in a dry run.
    pub(super) began_at: Option<Seq>,
}

impl CopyReport {
    /// Whether every record is in the target as it is in the source, and, unless the copy adds,
    /// nothing else.
    pub fn is_verified(&self) -> bool {
        self.queues.iter().all(QueueCopy::is_verified)
    }
}

impl QueueCopy {
    /// How many ids are kept of those that differ.
    pub const DIFFERING_IDS_MAX: usize = 20;

    pub(super) fn new(queue: QueueName) -> Self {
        Self {
            queue,
            stored: 0,
            present: 0,
            purged: 0,
            held: 0,
            source: JobTally::default(),
            target: JobTally::default(),
            late: 0,
            differing: 0,
            differing_ids: Vec::new(),
            foreign: 0,
            began_at: None,
        }
    }

    /// Whether every record is in the target as it is in the source.
    pub fn is_verified(&self) -> bool {
        self.late == 0 && self.differing == 0 && self.foreign == 0 && self.source == self.target
    }

    /// Counts a job that the target lacks or has otherwise: as late if its life began after the
    /// copy.
    pub(super) fn differs(&mut self, id: JobId, seq: Seq) {
        if self.began_at.is_some_and(|newest| seq > newest) {
            self.late += 1;
            return;
        }
        self.differing += 1;
        if self.differing_ids.len() < Self::DIFFERING_IDS_MAX {
            self.differing_ids.push(id);
        }
    }
}
