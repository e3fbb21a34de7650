//! The merging of concurrent calls, as stores use it: one method for each verb that is merged.

use crate::{
    BatchVerbs, Spawn,
    coalesce::{
        claims::MergedClaims,
        lane::Lane,
        merged_reads::MergedReads,
        merged_verb::{MergedApply, MergedEnqueue},
    },
};
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
/// Claims of a queue are merged likewise, each with its own token, limit and bytes; one that finds
/// none under way goes by itself, without a task between.
///
/// Input is checked before it joins a batch. A batch that is refused all the same is sent again
/// call by call. Heartbeats have a lane of their own, so that they never wait behind a large
/// settle; and calls about different queues do not wait for each other. A read of a single job
/// joins those of others; one of several jobs is a batch already, and goes by itself.
///
/// # Dropped futures
/// An enqueue or apply that has joined a batch goes on with it. A read goes on if others wait for
/// it. A claim that was not sent is not sent any more, and what one leases that was sent is given
/// back.
///
/// # Runtime
/// Each lane is a task. When the runtime that it runs on ends, the calls that are under way answer
/// an error of unknown outcome, and the next call starts another task on the runtime that it runs
/// on itself. A runtime that is there and that nobody drives, such as one with the flavor
/// `current_thread` outside of `block_on`, keeps its tasks, and whoever waits for them.
#[derive(Debug)]
pub struct Coalesced<S> {
    store: Arc<S>,
    enqueues: Lane<MergedEnqueue, S>,
    claims: MergedClaims<S>,
    settles: Lane<MergedApply, S>,
    heartbeats: Lane<MergedApply, S>,
    /// Of single jobs, of which waiters make many at once.
    reads: MergedReads<(QueueName, Detail), JobId, Option<JobRecord>>,
}

impl<S: BatchVerbs> Coalesced<S> {
    /// Wraps a store; the lanes run as tasks that end when this is dropped.
    pub fn new(store: Arc<S>, spawn: impl Spawn) -> Self {
        let spawn: Arc<dyn Spawn> = Arc::new(spawn);
        Self {
            enqueues: Lane::start(store.clone(), spawn.clone()),
            claims: MergedClaims::new(store.clone(), spawn.clone()),
            settles: Lane::start(store.clone(), spawn.clone()),
            heartbeats: Lane::start(store.clone(), spawn),
            reads: MergedReads::default(),
            store,
        }
    }

    /// Joins the next batch. See [`Storage::enqueue`](queue_core::Storage::enqueue).
    ///
    /// # Errors
    /// `Invalid` for what is over the limits, and those of the batch.
    pub async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.store.limits().check_enqueue(&groups)?;
        self.enqueues.call(queue.clone(), groups).await
    }

    /// Goes at once if no claim of the queue is under way, and else with the others that wait for
    /// it. See [`Storage::claim`](queue_core::Storage::claim).
    ///
    /// A caller that is gone before its claim is sent leases nothing; what is leased for one that
    /// goes later is given back uncharged, at once.
    ///
    /// # Errors
    /// `Invalid` for a limit over that of a batch, `Unavailable` where thousands wait already, and
    /// those of the call.
    pub async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        self.store.limits().check_batch("claim", request.limit)?;
        self.claims.claim(request).await
    }

    /// The same for a store that is the faster the more claims it has side by side: each is a call
    /// of its own.
    ///
    /// # Errors
    /// As for [`claim`](Self::claim).
    pub async fn claim_apart(&self, request: ClaimRequest) -> Result<Claimed> {
        self.store.limits().check_batch("claim", request.limit)?;
        self.claims.claim_apart(request).await
    }

    /// Waits until the jobs of claims whose callers are gone are given back, or cannot be: a store
    /// that closes lets go of its connections after that. It takes as long as the calls of the
    /// store do.
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
        let lane = if is_heartbeat { &self.heartbeats } else { &self.settles };
        lane.call(only_queue(&batch), batch).await
    }

    /// Joins the next read, if it is of one job. See [`Storage::get`](queue_core::Storage::get).
    ///
    /// # Errors
    /// Those of the read. One that may be the fault of a single job, such as a damaged record, is
    /// met by the one who asked for it alone.
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
        // Together with those of others it may have found no room, and alone it always does.
        let is_left_out = |record: &JobRecord| what == Detail::Full && record.body.is_none();
        if read.value.iter().flatten().any(is_left_out) {
            return self.store.get(queue, ids, what).await;
        }
        Ok(read)
    }
}

/// The queue that all are about: those of different queues do not wait for each other, since stores
/// may be away in part.
fn only_queue(batch: &[Transition]) -> Option<QueueName> {
    let first = &batch.first()?.queue;
    batch.iter().all(|transition| transition.queue == *first).then(|| first.clone())
}
