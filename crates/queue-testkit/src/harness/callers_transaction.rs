//! A transaction of an application, as the suite uses it.

use crate::Failure;
use async_trait::async_trait;
use queue_core::{Changed, Enqueued, JobMeta, NewJob, QueueName, Result, lifecycle::Event};

/// A transaction of an application, which a store joins. Dropping it rolls it back.
#[async_trait]
pub trait CallersTransaction: Send {
    /// Stores jobs in the transaction; the answers are in the order of the jobs.
    async fn enqueue(&mut self, queue: &QueueName, jobs: &[NewJob]) -> Result<Vec<Enqueued>>;

    /// Settles a job in the transaction, and decides again if the record has changed meanwhile.
    async fn settle(&mut self, job: &JobMeta, event: Event) -> Result<Changed>;

    /// Commits.
    async fn commit(self: Box<Self>) -> Result<(), Failure>;

    /// Rolls back.
    async fn rollback(self: Box<Self>) -> Result<(), Failure>;
}
