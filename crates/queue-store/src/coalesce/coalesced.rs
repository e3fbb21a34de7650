//! The merging of concurrent calls, as stores use it: one method for each verb that is merged.

use super::{
    lines::Lines,
    merged_reads::MergedReads,
    merged_verb::{MergedApply, MergedClaim, MergedEnqueue},
};
use crate::{BatchVerbs, Spawn};
use queue_core::{
    Applied, ClaimRequest, Claimed, Detail, Enqueued, JobId, JobRecord, NewJob, QueueName, Result, Stamped,
    lifecycle::{Patch, Transition},
};
use std::sync::Arc;

/// Concurrent single calls of a store, merged: 64 tasks that each enqueue one job reach the server
/// as one batch, and each gets a durable answer of its own. So do 64 tasks that each settle or read
/// one.
///
/// A part for authors of stores whose calls cost a round trip or a commit. Such a store holds one
/// inside and calls it from its own [`Storage`](queue_core::Storage), so that every handle merges,
/// however it was opened.
///
/// Claims of a queue are merged in the same way, each with its own token, limit and bytes.
///
/// A call that finds none of its kind and queue under way is made by its caller, without a task
/// between: a lone call costs what the store's own costs. The next caller that comes meanwhile has
/// a task carry that call to its end and then send, in one piece, all calls that came until then;
/// the task ends when nothing waits any more. So no caller depends on the future of another, which
/// may be kept and not polled.
///
/// Input is checked before it joins a batch. A batch that the store refuses is sent again call by
/// call. Heartbeats do not merge with settles, so that they never wait behind a large one; and
/// calls about different queues do not wait for each other. A read of a single job joins the reads
/// of others; one of several jobs is a batch already, and goes by itself.
///
/// # Dropped futures
/// A call that was not sent yet is not sent any more. One that was sent goes on to its end, on a
/// task; what a claim leases so is given back. A read goes on if others wait for it.
///
/// # Runtime
/// Calls of one runtime merge with each other, and with no others: the sockets and timers of a call
/// belong to the runtime that began it. So a runtime that stands still, because a task blocks its
/// thread or no thread drives it, holds up its own calls alone.
///
/// The tasks run where [`Spawn`] has them run. When their runtime ends, the calls that were sent
/// answer `Unavailable` with an unknown outcome, and the calls that waited answer that they were
/// not sent; only a future that has moved to another runtime is left to receive this.
#[derive(Debug)]
pub struct Coalesced<S> {
    store: Arc<S>,
    enqueues: Lines<MergedEnqueue, S>,
    claims: Lines<MergedClaim, S>,
    settles: Lines<MergedApply, S>,
    heartbeats: Lines<MergedApply, S>,
    /// Of single jobs, of which waiters make many at once.
    reads: MergedReads<(QueueName, Detail), JobId, Option<JobRecord>>,
}

impl<S: BatchVerbs> Coalesced<S> {
    /// Wraps a store.
    pub fn new(store: Arc<S>, spawn: impl Spawn) -> Self {
        let spawn: Arc<dyn Spawn> = Arc::new(spawn);
        Self {
            enqueues: Lines::new(store.clone(), spawn.clone(), 1),
            claims: Lines::new(store.clone(), spawn.clone(), store.claims_beside().max(1)),
            settles: Lines::new(store.clone(), spawn.clone(), 1),
            heartbeats: Lines::new(store.clone(), spawn, 1),
            reads: MergedReads::default(),
            store,
        }
    }

    /// Joins the next batch. See [`Storage::enqueue`](queue_core::Storage::enqueue).
    ///
    /// # Errors
    /// `Invalid` for what is over the limits, and the errors of the batch.
    pub async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.store.limits().check_enqueue(&groups)?;
        self.enqueues.call(queue.clone(), groups).await
    }

    /// Goes at once if fewer claims of the queue are under way than the store wants side by side,
    /// and else with the others that wait for one of them. See
    /// [`Storage::claim`](queue_core::Storage::claim).
    ///
    /// A caller that leaves before its claim is sent leases nothing; jobs that are leased for a
    /// caller that leaves later are given back uncharged, at once.
    ///
    /// # Errors
    /// `Invalid` for a limit over that of a batch, and the errors of the call.
    pub async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        self.store.limits().check_batch("claim", request.limit)?;
        self.claims.call(request.queue.clone(), request).await
    }

    /// The same for a store whose claims may not wait for each other: each is a call of its own.
    ///
    /// # Errors
    /// As for [`claim`](Self::claim).
    pub async fn claim_apart(&self, request: ClaimRequest) -> Result<Claimed> {
        self.store.limits().check_batch("claim", request.limit)?;
        self.claims.call_apart(request.queue.clone(), request).await
    }

    /// Waits until the jobs of claims of this runtime whose callers have left are given back, or
    /// cannot be: a store that closes lets go of its connections after that. It takes as long as
    /// the calls of the store do. Other runtimes are not waited for, since one may stand still.
    pub async fn rest(&self) {
        self.claims.rest().await;
    }

    /// Joins the next batch. See [`Storage::apply`](queue_core::Storage::apply).
    ///
    /// # Errors
    /// As for [`enqueue`](Self::enqueue).
    pub async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.store.limits().check_apply(&batch)?;
        let is_heartbeat = batch.iter().all(|transition| matches!(transition.patch, Patch::Extend { .. }));
        let lines = if is_heartbeat { &self.heartbeats } else { &self.settles };
        lines.call(only_queue(&batch), batch).await
    }

    /// Joins the next read, if it is of one job. See [`Storage::get`](queue_core::Storage::get).
    ///
    /// # Errors
    /// The errors of the read. An error that may be the fault of a single job, such as a damaged
    /// record, reaches only the caller that asked for this job.
    pub async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        if ids.len() != 1 {
            return self.store.get(queue, ids, what).await;
        }
        let store = self.store.clone();
        let send = move |(queue, what), ids: Vec<JobId>| {
            let store = store.clone();
            async move { store.get(&queue, &ids, what).await }
        };
        let read = self.reads.read((queue.clone(), what), ids.to_vec(), send).await?;
        // A body among the bodies of other callers may have found no room; alone it always does.
        let is_left_out = |record: &JobRecord| what == Detail::Full && record.body.is_none();
        if read.value.iter().flatten().any(is_left_out) {
            return self.store.get(queue, ids, what).await;
        }
        Ok(read)
    }
}

/// The queue that all are about: batches of different queues do not wait for each other, since a
/// store may be unavailable in part.
fn only_queue(batch: &[Transition]) -> Option<QueueName> {
    let first = &batch.first()?.queue;
    batch.iter().all(|transition| transition.queue == *first).then(|| first.clone())
}
