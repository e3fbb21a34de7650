//! A transaction of an application, as the suite uses it.

use crate::Failure;
use async_trait::async_trait;
use queue_core::{Changed, Enqueued, JobMeta, NewJob, QueueName, Result, lifecycle::Event};

/// A transaction of an application, which a store joins. One that is dropped is rolled back.
#[async_trait]
pub trait CallersTransaction: Send {
    /// Stores jobs in it; the answers are in their order.
    async fn enqueue(&mut self, queue: &QueueName, jobs: &[NewJob]) -> Result<Vec<Enqueued>>;

    /// Settles a job in it, deciding again while the record moves.
    async fn settle(&mut self, job: &JobMeta, event: Event) -> Result<Changed>;

    /// Commits.
    async fn commit(self: Box<Self>) -> Result<(), Failure>;

    /// Takes everything back.
    async fn rollback(self: Box<Self>) -> Result<(), Failure>;
}
