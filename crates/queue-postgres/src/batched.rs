//! The verbs whose calls are merged, as one merged call runs them.

use crate::{
    call::call,
    handle::HandleState,
    verbs::{
        FoldFirst, PostgresApply, PostgresClaim, PostgresEnqueue, PostgresEnqueueNew, PostgresFoldGates,
        PostgresForgetLines, PostgresGet, PostgresLookAtGates, fold_after, fold_all, fold_crowds, held_until,
    },
};
use queue_core::{
    Applied, ClaimRequest, Claimed, Detail, Enqueued, JobId, JobRecord, Limits, NewJob, QueueName, Result,
    Stamped, lifecycle::Transition,
};
use queue_store::BatchVerbs;
use std::sync::Arc;
use tracing::debug;

/// The claims of a queue that go side by side in a handle: the server works on one while the other
/// is on its way (ADR 38).
const CLAIMS_BESIDE: usize = 2;

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
        let enqueued = call(&self.0, &PostgresEnqueue { queue, groups: &groups }).await?;
        fold_crowds(&self.0).await;
        Ok(enqueued)
    }

    async fn claim(&self, requests: Vec<ClaimRequest>) -> Result<Vec<Claimed>> {
        let Some(first) = requests.first() else { return Ok(Vec::new()) };
        if let Some(queue) = self.0.names.number(&first.queue).filter(|queue| self.0.lines.take_ended(*queue))
            && let Err(error) = call(&self.0, &PostgresForgetLines(queue)).await
        {
            debug!(error = &error as &dyn std::error::Error, "lines that have ended are forgotten later");
        }
        self.claim_behind_gates(&first.queue, &requests).await
    }

    fn claims_beside(&self) -> usize {
        CLAIMS_BESIDE
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        let mut applied = call(&self.0, &PostgresApply(&batch)).await?;
        fold_after(&self.0, &batch, &mut applied.value).await;
        fold_crowds(&self.0).await;
        Ok(applied)
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

impl BatchedCalls {
    /// Claims, and folds before what came to gates, if the queue has some.
    async fn claim_behind_gates(&self, name: &QueueName, requests: &[ClaimRequest]) -> Result<Vec<Claimed>> {
        let handle = &self.0;
        let known = || handle.names.number(name).filter(|queue| handle.lines.has_gates(*queue));
        // Whether a fold was tried, and left something.
        let mut left = match known() {
            Some(queue) => Some(self.fold_gates(name, queue).await),
            None => None,
        };
        let mut claimed = loop {
            match call(handle, &PostgresClaim { requests, has_folded: left.is_some() }).await? {
                Ok(claimed) => break claimed,
                Err(FoldFirst(queue)) => left = Some(self.fold_gates(name, queue).await),
            }
        };
        if left == Some(true) {
            for claimed in &mut claimed {
                let again = held_until(claimed.now);
                claimed.next_due = claimed.next_due.into_iter().chain([again]).min();
            }
        }
        Ok(claimed)
    }

    /// Folds what came to gates of a queue. True if something was left, or if it failed.
    async fn fold_gates(&self, name: &QueueName, queue: i32) -> bool {
        let folding = async {
            if !call(&self.0, &PostgresLookAtGates(queue)).await? {
                return Ok(false);
            }
            let folded = fold_all(&self.0, &PostgresFoldGates { queue, name, targets: None }).await?;
            Ok(folded.is_held || folded.has_more)
        };
        folding.await.unwrap_or_else(|error: queue_core::Error| {
            debug!(error = &error as &dyn std::error::Error, "what came to gates is left to the next claim");
            true
        })
    }
}
