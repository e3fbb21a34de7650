//! Moving the jobs of one store to another of any kind.

mod fences;
mod finished;
mod held;
mod reading;
mod report;
mod tally;
mod target;
mod transfer;
mod verify;

pub use finished::FinishedCopy;
pub use report::{CopyPhase, CopyProgress, CopyReport, QueueCopy};
pub use tally::JobTally;

use queue_core::{Error, ErrorKind, Pause, QueueName, QueuesQuery, Result, Storage};
use std::{collections::BTreeSet, sync::Arc, time::Duration};

/// Copies the jobs of queues from one store to another, of the same kind or not, with everything
/// that belongs to them: payload, labels, state, charges, attempts, progress, results, errors and
/// times. The source keeps its jobs.
///
/// Both queues are paused by the first step and stay so: resume the target once the copy is
/// verified, and never again the source. Stop producers first, or let them go to the target, where
/// they may enqueue at any time. Jobs that reach the source during the copy are counted as late,
/// and a second run brings them.
///
/// # What changes
/// Each job has a new number in the target, in the order of the old ones, and above all numbers
/// that the source ever gave: so a fence `(seq, epoch)` of an outside resource goes on, and never
/// back. A wait for a job by its old number finds no job. Times are kept as they are, and mean what
/// the target's clock says. The limits of a queue are copied; workers, subscriptions and pauses are
/// not. Schedules are jobs, and are.
///
/// # Killed, and run again
/// A copy may end at any moment, and is finished by running it again: what is in the target already
/// is left alone. A copy that came to its end is remembered in the target, and a second one is
/// refused unless it is asked for [again](Self::again): once the target has worked, it would bring
/// back jobs that were done and removed there. The pause of the target says that a copy is under
/// way. So a queue of the target that exists and is not paused is refused, as one that works
/// already, unless the copy [adds](Self::adding) to it.
///
/// At the end every record is read again from both stores and compared.
///
#[cfg_attr(all(feature = "memory", feature = "json"), doc = "```")]
#[cfg_attr(not(all(feature = "memory", feature = "json")), doc = "```ignore")]
/// use queue::{StoreCopy, prelude::*};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (old, new) = (open("memory:").await?, open("memory:").await?);
/// let mails: Queue<String> = Queue::new(old.clone(), "mails")?;
/// mails.enqueue("a", "welcome".to_owned()).await?;
///
/// let report = StoreCopy::new(old, new.clone()).run(&mut |_| ()).await?;
/// assert!(report.is_verified());
/// let moved: Queue<String> = Queue::new(new, "mails")?;
/// assert_eq!(moved.payload("a").await?.as_deref(), Some("welcome"));
/// moved.resume().await?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is one choice of the caller")]
pub struct StoreCopy {
    from: Arc<dyn Storage>,
    to: Arc<dyn Storage>,
    queues: BTreeSet<QueueName>,
    held: HeldJobs,
    adds: bool,
    is_again: bool,
    renumbers: bool,
    is_dry: bool,
}

/// What a copy does about jobs of the source that are being processed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeldJobs {
    /// Refuses to begin while there is one.
    #[default]
    Refuse,
    /// Waits until their workers have settled them or their leases have lapsed, at most this long;
    /// then refuses. Leases that lapse are ended, as any worker does.
    Wait(Duration),
    /// Copies them as jobs that were given back, uncharged. Only for workers that have ended for
    /// good: a worker that still runs such a job settles it in the source, and the job runs again.
    GiveBack,
}

impl StoreCopy {
    /// A copy of all queues of one store to another.
    pub fn new(from: Arc<dyn Storage>, to: Arc<dyn Storage>) -> Self {
        let (queues, held) = (BTreeSet::new(), HeldJobs::default());
        Self { from, to, queues, held, adds: false, is_again: false, renumbers: false, is_dry: false }
    }

    /// Copies this queue, and others that are named in this way, instead of all.
    #[must_use]
    pub fn queue(mut self, queue: QueueName) -> Self {
        self.queues.insert(queue);
        self
    }

    /// Sets what happens to jobs that are being processed; by default the copy is refused.
    #[must_use]
    pub fn held(mut self, held: HeldJobs) -> Self {
        self.held = held;
        self
    }

    /// Adds to queues of the target that have jobs of their own, or that are worked on. A job whose
    /// id is taken there is left as it is, and reported as different.
    #[must_use]
    pub fn adding(mut self) -> Self {
        self.adds = true;
        self
    }

    /// Copies queues again whose copy from this source into this target is finished. Jobs that were
    /// done and removed in the target since are copied again, and run again.
    #[must_use]
    pub fn again(mut self) -> Self {
        self.is_again = true;
        self
    }

    /// Numbers the jobs from the target's next number on, which may be below the numbers of the
    /// source. Fences of outside resources may then go back: let these resources forget them.
    /// Needed for a target whose numbers do not reach as far, which is a SQLite file after Redis.
    #[must_use]
    pub fn renumbering(mut self) -> Self {
        self.renumbers = true;
        self
    }

    /// Reads everything and writes nothing: the report says what would be copied.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.is_dry = true;
        self
    }

    /// Copies queue by queue, and calls `watch` after each batch.
    ///
    /// Dropping the future leaves what was copied by then, and both queues paused; run it again.
    ///
    /// # Errors
    /// `Unsupported` if the target cannot take records. `Invalid` if a queue of the target is not
    /// to be filled, if its copy is finished, if jobs are being processed, and for a job that the
    /// target has no room for. Else the errors of the stores. Differences are no error, but in the
    /// report.
    pub async fn run(&self, watch: &mut (dyn FnMut(&CopyProgress<'_>) + Send)) -> Result<CopyReport> {
        if !self.to.capabilities().import {
            let name = self.to.capabilities().name;
            let message = format!("the store {name:?} cannot take records of another one");
            return Err(Error::new(ErrorKind::Unsupported, "copy", message));
        }
        let queues = self.chosen().await?;
        self.refuse_finished(&queues).await?;
        // All are looked at before the first is touched.
        for queue in &queues {
            self.check_target(queue).await?;
            if self.held == HeldJobs::Refuse {
                self.refuse_held(queue).await?;
            }
        }
        let mut copied = Vec::with_capacity(queues.len());
        for queue in &queues {
            copied.push(self.copy_queue(queue, watch).await?);
        }
        // Together at the end: what is cut short is finished by the same call.
        let is_finished = |copy: &&QueueCopy| copy.late == 0 && (self.adds || copy.differing == 0);
        let finished: Vec<_> = copied.iter().filter(is_finished).map(|copy| copy.queue.clone()).collect();
        if !self.is_dry && finished.len() == copied.len() {
            self.remember(&finished).await?;
        }
        Ok(CopyReport { queues: copied, is_dry_run: self.is_dry })
    }

    async fn chosen(&self) -> Result<Vec<QueueName>> {
        if !self.queues.is_empty() {
            self.queues.iter().try_for_each(finished::refuse_own)?;
            return Ok(self.queues.iter().cloned().collect());
        }
        let mut names = Vec::new();
        let mut next = Some(QueuesQuery::all(QueuesQuery::LIMIT_MAX));
        while let Some(query) = next {
            let page = self.from.queues(query).await?;
            let found = page.queues.into_iter().map(|status| status.name);
            names.extend(found.filter(|name| finished::refuse_own(name).is_ok()));
            next = page.next;
        }
        Ok(names)
    }

    async fn copy_queue(
        &self,
        queue: &QueueName,
        watch: &mut (dyn FnMut(&CopyProgress<'_>) + Send),
    ) -> Result<QueueCopy> {
        let mut report = QueueCopy::new(queue.clone());
        if !self.is_dry {
            // The target first: its pause says that a copy was begun.
            self.pause(&*self.to, queue).await?;
            self.pause(&*self.from, queue).await?;
            self.copy_limits(queue).await?;
            if let HeldJobs::Wait(longest) = self.held {
                let mut told =
                    |held| watch(&CopyProgress { queue, phase: CopyPhase::Waiting, done: 0, total: held });
                held::wait_for_held(&*self.from, queue, longest, &mut told).await?;
            }
            self.refuse_held(queue).await?;
            self.transfer(queue, &mut report, watch).await?;
        }
        self.verify(queue, &mut report, watch).await?;
        Ok(report)
    }

    /// A target without partitions refuses the limits of the source.
    async fn copy_limits(&self, queue: &QueueName) -> Result<()> {
        if !self.from.capabilities().limits.partitions {
            return Ok(());
        }
        let limits = self.from.limits(queue).await?;
        if limits.is_empty() {
            return Ok(());
        }
        let limits = limits.into_iter().map(|(scope, limit)| (scope, Some(limit))).collect();
        self.to.set_limits(queue, limits).await
    }

    async fn pause(&self, store: &dyn Storage, queue: &QueueName) -> Result<()> {
        if store.capabilities().pause {
            store.set_paused(queue, None, Pause::UntilResumed).await
        } else {
            Ok(())
        }
    }
}
