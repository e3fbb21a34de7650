//! The work queue itself: schedules named tasks, claims them, marks their outcome, and removes dead
//! letters.

use queue::{
    Counts, Delivery, Failure, JobMeta, JobOptions, Keep, Kind, Nack, Policy, Queue, Result, RetryPolicy,
    Settled, Storage,
    queue_core::lifecycle::{Event, decide},
    worker::runtime::Finality,
};
use serde_json::Value;
use std::{sync::Arc, time::Duration};

/// Dead letters looked at in one step of a cleanup.
const PAGE: usize = 500;

/// A claimed task with its proof of holding it. Cloning gives another handle on the same claim.
pub type Task = Arc<Delivery<Value>>;

/// A durable queue of named tasks. See the [module](crate::work_queue).
#[derive(Clone, Debug)]
pub struct WorkQueue {
    queue: Queue<Value>,
    lease: Duration,
}

impl WorkQueue {
    /// A handle on the queue of this name. What it claims comes back unless it is marked within
    /// `lease`; failed tasks wait as `retry` says.
    ///
    /// # Errors
    /// `Invalid` for a bad name or lease.
    pub fn new(store: Arc<dyn Storage>, name: &str, lease: Duration, retry: RetryPolicy) -> Result<Self> {
        let policy = Policy::default().retry(retry);
        let queue = Queue::builder(store, name).policy(policy).lease(lease).build()?;
        Ok(Self { queue, lease })
    }

    /// Stores a task to be done after `delay`, and answers whether it was inserted: a name is taken
    /// while its task waits or runs, for an hour after it is done, and for as long as it is a dead
    /// letter.
    ///
    /// # Errors
    /// `Invalid` for a name or kind that is empty, too long or holds control characters.
    pub async fn schedule(&self, name: &str, kind: &str, payload: Value, delay: Duration) -> Result<bool> {
        let options = JobOptions::new().delay(delay).keep_failed(Keep::Forever);
        let of_kind = self.queue.of_kind(Kind::new(kind)?);
        Ok(of_kind.enqueue_with(name, payload, options).await?.is_new())
    }

    /// Takes up to `limit` due tasks, the longest due first. It does not wait.
    pub async fn claim(&self, limit: usize) -> Result<Vec<Task>> {
        let claimed = self.queue.dequeue_many(limit, Duration::ZERO).await?;
        Ok(claimed.into_iter().map(Arc::new).collect())
    }

    /// Marks a claimed task as done. [`Settled::LeaseLost`] says that another caller has claimed it
    /// meanwhile, and that nothing was changed.
    pub async fn mark_done(&self, task: &Task) -> Result<Settled> {
        task.ack(&()).await
    }

    /// Marks an attempt as failed. The task is tried again after a wait, or becomes a dead letter
    /// if that cannot help or its attempts are spent, 25 as by default. The answers are the answers
    /// of [`mark_done`](Self::mark_done).
    pub async fn mark_failed(&self, task: &Task, reason: &str, finality: Finality) -> Result<Settled> {
        let nack = Nack::new(Failure::new("TaskFailed", reason));
        task.nack(if finality == Finality::Terminal { nack.terminal() } else { nack }).await
    }

    /// Gives a claimed task back as it was.
    pub async fn release(&self, task: &Task) -> Result<Settled> {
        task.release().await
    }

    /// Removes dead letters that failed at least this long ago, and answers how many. One that is
    /// redriven at the same time stays.
    pub async fn cleanup(&self, older_than: Duration) -> Result<u64> {
        let mut removed = 0;
        let mut after = None;
        loop {
            let page = self.queue.jobs().failed().after(after).limit(PAGE).page().await?;
            let is_old = |job: &&JobMeta| job.finished_at.is_some_and(|at| page.now.since(at) >= older_than);
            let old: Vec<&JobMeta> = page.jobs.iter().filter(is_old).collect();
            removed += self.delete(&old).await?;
            after = page.next;
            if after.is_none() {
                return Ok(removed);
            }
        }
    }

    /// How many tasks there are, by state.
    pub async fn counts(&self) -> Result<Counts> {
        self.queue.counts().await
    }

    /// How long a claim lasts.
    pub fn lease(&self) -> Duration {
        self.lease
    }

    /// Deletes jobs as they were seen: one that has moved since stays.
    async fn delete(&self, jobs: &[&JobMeta]) -> Result<u64> {
        let policy = Policy::default();
        let deletions = jobs.iter().filter_map(|job| decide(job, Event::Delete, &policy).ok()).collect();
        let applied = self.queue.storage().apply(deletions).await?;
        Ok(applied.value.iter().filter(|answer| answer.is_done()).count() as u64)
    }
}
