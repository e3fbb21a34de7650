use crate::{
    Applied, Capabilities, ClaimRequest, Claimed, Counts, Detail, Enqueued, EventStream, Interest, JobId,
    JobRecord, ListQuery, NewJob, Page, PruneRequest, QueueName, Result, Spawn, Stamped, Storage, WorkerInfo,
    coalesce::{
        lane::Lane,
        verb::{ApplyVerb, EnqueueVerb},
    },
    lifecycle::{Patch, Transition},
};
use async_trait::async_trait;
use std::{sync::Arc, time::Duration};

/// Any store, with concurrent single calls merged: 64 tasks that each enqueue one job reach the store as one batch, and
/// each gets a durable answer of its own.
///
/// For stores where a call costs a round trip or a commit. Input is checked before it joins a batch. A batch that is
/// refused all the same is sent again call by call. Heartbeats have a lane of their own, so that they never wait
/// behind a large settle.
#[derive(Debug)]
pub struct Coalesced<S: ?Sized> {
    store: Arc<S>,
    enqueues: Lane<EnqueueVerb>,
    settles: Lane<ApplyVerb>,
    heartbeats: Lane<ApplyVerb>,
}

impl<S: Storage + ?Sized> Coalesced<S> {
    /// Wraps a store; the lanes run as tasks that end when this is dropped.
    pub fn new(store: Arc<S>, spawn: &dyn Spawn) -> Self {
        Self {
            enqueues: Lane::start(store.clone(), spawn),
            settles: Lane::start(store.clone(), spawn),
            heartbeats: Lane::start(store.clone(), spawn),
            store,
        }
    }
}

#[async_trait]
impl<S: Storage + ?Sized> Storage for Coalesced<S> {
    fn capabilities(&self) -> Capabilities {
        self.store.capabilities()
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.capabilities().limits.check_enqueue(&groups)?;
        self.enqueues.call(queue.clone(), groups).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        self.store.claim(request).await
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.capabilities().limits.check_apply(&batch)?;
        let is_heartbeat = batch.iter().all(|transition| matches!(transition.patch, Patch::Extend { .. }));
        let lane = if is_heartbeat { &self.heartbeats } else { &self.settles };
        lane.call((), batch).await
    }

    async fn exchange(
        &self,
        batch: Vec<Transition>,
        request: ClaimRequest,
    ) -> Result<(Stamped<Vec<Applied>>, Claimed)> {
        self.store.exchange(batch, request).await
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        self.store.get(queue, ids, what).await
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        self.store.list(query).await
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        self.store.counts(queue).await
    }

    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        self.store.prune(request).await
    }

    async fn set_paused(&self, queue: &QueueName, paused: bool) -> Result<()> {
        self.store.set_paused(queue, paused).await
    }

    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        self.store.subscribe(queue, interest).await
    }

    async fn announce(&self, worker: WorkerInfo, ttl: Duration) -> Result<()> {
        self.store.announce(worker, ttl).await
    }

    async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        self.store.workers().await
    }

    async fn verify(&self) -> Result<Vec<String>> {
        self.store.verify().await
    }

    async fn close(&self) -> Result<()> {
        self.store.close().await
    }
}
