//! Removes records.

use super::commit::{Commits, Session};
use crate::{
    failure::{KvFailure, KvResult},
    keys::{self, Family, Key},
};
use queue_core::{Prune, QueueName, Timestamp};
use queue_store::group_commit::Verb;
use std::ops::Range;

/// Removes the first records that a request selects, and answers their number.
#[derive(Debug)]
pub(crate) struct KvPruneSome {
    pub(crate) queue: QueueName,
    pub(crate) what: Prune,
    /// At most [`MAX`](Self::MAX).
    pub(crate) limit: usize,
}

impl KvPruneSome {
    /// The most records that one transaction removes.
    pub(crate) const MAX: usize = 1_000;

    fn range(&self, now: Timestamp) -> Range<Key> {
        match self.what {
            Prune::Expired => keys::until(Family::Purge, &self.queue, now),
            Prune::FinishedBefore(age) => {
                let latest = Timestamp::from_millis(now.as_millis().saturating_sub(age.as_millis()));
                keys::until(Family::Finished, &self.queue, latest)
            }
            Prune::Everything => keys::all(Family::Job, &self.queue),
        }
    }
}

impl Verb<Commits> for KvPruneSome {
    type Answer = usize;

    const NAME: &'static str = "prune";

    fn weight(&self) -> usize {
        self.limit
    }

    fn run(&self, session: &mut Session<'_>) -> KvResult<usize> {
        let transaction = session.transaction();
        let found = transaction.view().scan(&self.range(transaction.now()), self.limit)?;
        for (key, _) in &found {
            let stored = transaction.view().life(&self.queue, keys::seq_of(key))?;
            let stored = stored.ok_or_else(|| KvFailure::corrupt("an index entry has no record"))?;
            transaction.remove(&stored.job.meta)?;
        }
        Ok(found.len())
    }
}
