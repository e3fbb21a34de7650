//! The verbs whose calls are merged, as one merged call runs them.

use crate::{
    call::call,
    handle::HandleState,
    verbs::{
        PostgresApply, PostgresClaim, PostgresEnqueue, PostgresEnqueueNew, PostgresForgetLines, PostgresGet,
    },
};
use queue_core::{
    Applied, ClaimRequest, Claimed, Detail, Enqueued, JobId, JobRecord, Limits, NewJob, QueueName, Result,
    Stamped, lifecycle::Transition,
};
use queue_store::BatchVerbs;
use std::sync::Arc;
use tracing::debug;

/// One handle, as the merging layer calls it.
#[derive(Debug)]
pub(crate) struct BatchedCalls(pub(crate) Arc<HandleState>);

impl BatchVerbs for BatchedCalls {
    fn limits(&self) -> Limits {
        self.0.options.limits
    }

    /// Tries the short statement for new ids first; a batch that it does not fit, or that names a
    /// taken id, takes the other.
    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        if let Some(new) = PostgresEnqueueNew::of(queue, &groups)
            && let Some(enqueued) = call(&self.0, &new).await?
        {
            return Ok(enqueued);
        }
        call(&self.0, &PostgresEnqueue { queue, groups: &groups }).await
    }

    /// Answers the first request alone: claims go side by side, each in a statement of its own.
    async fn claim(&self, requests: Vec<ClaimRequest>) -> Result<Vec<Claimed>> {
        let Some(first) = requests.first() else { return Ok(Vec::new()) };
        if let Some(queue) = self.0.names.number(&first.queue).filter(|queue| self.0.lines.take_ended(*queue))
            && let Err(error) = call(&self.0, &PostgresForgetLines(queue)).await
        {
            debug!(error = &error as &dyn std::error::Error, "lines that have ended are forgotten later");
        }
        Ok(vec![call(&self.0, &PostgresClaim(first)).await?])
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        call(&self.0, &PostgresApply(&batch)).await
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        call(&self.0, &PostgresGet { queue, ids, what }).await
    }
}
