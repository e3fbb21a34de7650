//! A handle on one batch.

use super::{
    BatchError, BatchLife, BatchName, BatchStatus, HaltSpec,
    found::{FoundBatch, Standing, is_abandoned, standing_of},
};
use crate::{Change, Jobs, Queue};
use queue_core::{
    Changed, Enqueued, Error, ErrorKind, InvalidName, JobId, JobKind, Result, Seq, State, StorageExt,
    lifecycle::{Event, OnProcessing},
};
use std::{fmt, time::Duration};
use tokio::time::sleep;

/// How often a batch that a worker holds is looked at before it is given up, and how long after
/// each other. A worker holds a batch for a few calls of its store.
const TRIES_MAX: usize = 100;
const LOOK: Duration = Duration::from_millis(50);

/// A handle on one life of a batch, for members with payloads `P` and results `R`. It is cheap to
/// clone. A later batch of the same name is another one, which this handle never touches.
///
/// # Errors
/// Beside the errors of the store, the source of an `Invalid` error is a [`BatchError`].
pub struct Batch<P, R = ()> {
    pub(super) queue: Queue<P, R>,
    pub(super) life: BatchLife,
    /// Whether a member that does not complete wakes the batch at once.
    pub(super) is_urgent: bool,
}

impl<P, R> Batch<P, R> {
    pub(super) fn new(queue: Queue<P, R>, life: BatchLife, is_urgent: bool) -> Self {
        Self { queue, life, is_urgent }
    }

    /// The name of the batch.
    pub fn name(&self) -> &BatchName {
        self.life.name()
    }

    /// The number of this life of the name, which is in the ids of its members.
    pub fn seq(&self) -> Seq {
        self.life.seq()
    }

    /// A handle on the same batch for members of another kind.
    pub fn of<P2, R2>(&self, kind: JobKind<P2, R2>) -> Batch<P2, R2> {
        Batch::new(self.queue.of(kind), self.life.clone(), self.is_urgent)
    }

    /// The id of a member, given the part of it that its producer chose, for every call of the
    /// queue that takes an id.
    ///
    /// # Errors
    /// If the part is empty or has a control character, or all of the id has more than 255 bytes.
    pub fn job(&self, id: impl AsRef<str>) -> Result<JobId, InvalidName> {
        self.life.member(id.as_ref())
    }

    /// The members, as they stand now, as a selection to narrow down. A member that was run again
    /// stands as a job that waits or runs, and stays counted as it ended first.
    pub fn jobs(&self) -> Jobs {
        self.queue.jobs().tag(self.life.tag().as_str())
    }

    /// Says that no more members come from outside. The batch ends once all members have ended, at
    /// once if they have. Sealing it again changes nothing, also after its end.
    ///
    /// # Errors
    /// [`BatchError::NoBatch`] if the record of the batch was removed, [`BatchError::Ended`] if it
    /// was abandoned, and `Conflict` if the batch kept changing: try again. A dropped future leaves
    /// it sealed or not.
    pub async fn seal(&self) -> Result<()> {
        let shared = &self.queue.shared;
        let (standing, meta) = standing_of(shared, &self.life).await?;
        let Some(meta) = meta else { return Err(self.missing()) };
        match standing {
            Standing::Ended if is_abandoned(&meta) => return Err(self.ended()),
            Standing::Open => {}
            _ => return Ok(()),
        }
        match shared.storage.settle(&meta, Event::Seal, &shared.policy).await? {
            // Rejected: sealed by another call, or ended meanwhile.
            Changed::Done(_) | Changed::Rejected(_) | Changed::LeaseLost(_) => Ok(()),
            Changed::Missing => Err(self.missing()),
        }
    }

    /// The status of the batch, in one read.
    ///
    /// # Errors
    /// [`BatchError::NoBatch`] if the record of the batch was removed.
    pub async fn status(&self) -> Result<BatchStatus> {
        let found = FoundBatch::by_life(&self.queue.shared, &self.life).await?;
        found.map(BatchStatus::of).ok_or_else(|| self.missing())
    }

    /// Cancels this batch, and no later one of its name; see
    /// [`Batches::cancel`](super::Batches::cancel).
    ///
    /// # Errors
    /// [`BatchError::Ended`] for a batch that has ended or was abandoned, also if its last member
    /// has just ended. A dropped future leaves it asked for or not.
    pub async fn cancel(&self) -> Result<Change> {
        match standing_of(&self.queue.shared, &self.life).await?.0 {
            Standing::Open | Standing::Sealed => {}
            Standing::Ended => return Err(self.ended()),
            Standing::Missing => return Ok(Change::Missing),
        }
        let halt = HaltSpec::of(&self.life).job(&self.life);
        let stored = self.queue.shared.store_group(vec![halt]).await?.value;
        if stored.contains(&Enqueued::Orphaned) {
            return Err(self.ended());
        }
        // No more members from now on, though no worker has looked yet. If this is lost, the job
        // seals the batch.
        self.seal().await?;
        Ok(Change::Requested)
    }

    /// Abandons this batch, and no later one of its name; see
    /// [`Batches::abandon`](super::Batches::abandon).
    ///
    /// # Errors
    /// [`BatchError::Ended`] for a batch that has ended, whose callbacks are enqueued; `Conflict`
    /// if a worker holds the batch for several seconds; and the errors of the store. A dropped
    /// future leaves it abandoned or not.
    pub async fn abandon(&self) -> Result<Change> {
        let shared = &self.queue.shared;
        for _ in 0..TRIES_MAX {
            let Some(found) = FoundBatch::by_life(shared, &self.life).await? else {
                return Ok(Change::Missing);
            };
            if found.progress.end.is_some() {
                return Err(self.ended());
            }
            // A worker that holds it may be about to end it, and says so with its settle.
            let event = Event::Cancel { processing: OnProcessing::Leave };
            match Change::of_cancel(&shared.storage.settle(&found.meta, event, &shared.policy).await?)? {
                Change::NotAllowed(State::Processing) => sleep(LOOK).await,
                change => return Ok(change),
            }
        }
        let message = format!("a worker holds the batch {:?}; try again", self.name());
        Err(Error::new(ErrorKind::Conflict, "batch", message))
    }

    /// The error for a batch that is not there.
    pub(super) fn missing(&self) -> Error {
        BatchError::NoBatch { queue: self.queue.name().clone(), name: self.name().clone() }.into()
    }

    pub(super) fn ended(&self) -> Error {
        BatchError::Ended { name: self.name().clone() }.into()
    }
}

impl<P, R> Clone for Batch<P, R> {
    fn clone(&self) -> Self {
        Self::new(self.queue.clone(), self.life.clone(), self.is_urgent)
    }
}

impl<P, R> fmt::Debug for Batch<P, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch").field("queue", &self.queue).field("life", &self.life).finish_non_exhaustive()
    }
}
