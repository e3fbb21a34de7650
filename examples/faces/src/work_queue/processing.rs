//! The work queue as source and sink of the runtime's processor.

use super::{Mux, Task, TaskError, WorkQueue};
use async_trait::async_trait;
use queue::{
    Error, Result,
    worker::runtime::{Finality, Group, ItemError, Pace, PacedLoop, Processor, Sink, Source, tick_fn},
};
use std::time::Duration;

/// How long an idle queue waits between two claims, at first and at most.
const CLAIM_INTERVAL: Duration = Duration::from_millis(10);
const CLAIM_INTERVAL_MAX: Duration = Duration::from_millis(100);
/// How often old dead letters are looked for.
const CLEANUP_INTERVAL: Duration = Duration::from_mins(1);

/// The parts that look after a work queue, for running: a processor of its tasks, `concurrency` at
/// once, and the cleanup of dead letters that are older than `dead_letters`.
///
/// Handling has half of the lease and marking a quarter, so that a task is marked before it comes
/// back to others. Who needs longer takes a longer lease, or a worker, which keeps leases alive.
///
/// # Errors
/// `Invalid` for a concurrency of zero.
pub fn serve(work: &WorkQueue, mux: Mux, concurrency: usize, dead_letters: Duration) -> Result<Group> {
    let processor = Processor::builder(work.clone(), mux, work.clone())
        .concurrency(concurrency)
        .handle_budget(work.lease() / 2)
        .mark_budget(work.lease() / 4)
        .is_terminal(TaskError::is_terminal)
        .build()?;
    let processing = PacedLoop::builder(processor)
        .interval(CLAIM_INTERVAL)
        .max_idle_interval(CLAIM_INTERVAL_MAX)
        .immediate_first_tick()
        .build()?;
    let swept = work.clone();
    let cleanup = tick_fn(move |_| {
        let work = swept.clone();
        async move { work.cleanup(dead_letters).await.map(|_removed| Pace::Idle) }
    });
    let cleanup =
        PacedLoop::builder(cleanup).interval(CLEANUP_INTERVAL).max_idle_interval(CLEANUP_INTERVAL).build()?;
    Ok(Group::new().add("cleanup", cleanup).add("processing", processing))
}

#[async_trait]
impl Source<Task> for WorkQueue {
    type Error = Error;

    async fn claim(&self, limit: usize) -> Result<Vec<Task>> {
        WorkQueue::claim(self, limit).await
    }

    async fn release(&self, tasks: &[Task]) -> Result<()> {
        for task in tasks {
            // After any answer, this program no longer holds it.
            let _settled = WorkQueue::release(self, task).await?;
        }
        Ok(())
    }
}

/// A lost lease is an answer, not a failed mark: another holder has the task, and marking again
/// cannot change that.
#[async_trait]
impl Sink<Task> for WorkQueue {
    type Output = ();
    type Failure = TaskError;
    type Error = Error;

    async fn mark_done(&self, task: &Task, (): &()) -> Result<()> {
        WorkQueue::mark_done(self, task).await.map(|_settled| ())
    }

    async fn mark_failed(&self, task: &Task, error: &ItemError<TaskError>, finality: Finality) -> Result<()> {
        WorkQueue::mark_failed(self, task, &error.to_string(), finality).await.map(|_settled| ())
    }
}
