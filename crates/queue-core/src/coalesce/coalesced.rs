use crate::{
    Applied, Enqueued, NewJob, QueueName, Result, Spawn, Stamped, Storage, StorageLayer,
    coalesce::{
        lane::Lane,
        verb::{ApplyVerb, EnqueueVerb},
    },
    lifecycle::{Patch, Transition},
};
use async_trait::async_trait;
use std::sync::Arc;

/// Any store, with concurrent single calls merged: 64 tasks that each enqueue one job reach the store as one batch, and
/// each gets a durable answer of its own.
///
/// For stores where a call costs a round trip or a commit. Input is checked before it joins a batch. A batch that is
/// refused all the same is sent again call by call. Heartbeats have a lane of their own, so that they never wait
/// behind a large settle; and calls about different queues do not wait for each other.
///
/// # Runtime
/// Each lane is a task. When the runtime that it runs on ends, the calls that are under way answer an error of unknown
/// outcome, and the next call starts another task on the runtime that it runs on itself. A runtime that is there and that nobody
/// drives, such as one with the flavor `current_thread` outside of `block_on`, keeps its tasks, and whoever waits for them.
#[derive(Debug)]
pub struct Coalesced<S: ?Sized> {
    store: Arc<S>,
    enqueues: Lane<EnqueueVerb, S>,
    settles: Lane<ApplyVerb, S>,
    heartbeats: Lane<ApplyVerb, S>,
}

impl<S: Storage + ?Sized> Coalesced<S> {
    /// Wraps a store; the lanes run as tasks that end when this is dropped.
    pub fn new(store: Arc<S>, spawn: impl Spawn) -> Self {
        let spawn: Arc<dyn Spawn> = Arc::new(spawn);
        Self {
            enqueues: Lane::start(store.clone(), spawn.clone()),
            settles: Lane::start(store.clone(), spawn.clone()),
            heartbeats: Lane::start(store.clone(), spawn),
            store,
        }
    }
}

#[async_trait]
impl<S: Storage + ?Sized> StorageLayer for Coalesced<S> {
    type Inner = S;

    fn inner(&self) -> &S {
        &self.store
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.store.capabilities().limits.check_enqueue(&groups)?;
        self.enqueues.call(queue.clone(), groups).await
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.store.capabilities().limits.check_apply(&batch)?;
        let is_heartbeat = batch.iter().all(|transition| matches!(transition.patch, Patch::Extend { .. }));
        let lane = if is_heartbeat { &self.heartbeats } else { &self.settles };
        lane.call(only_queue(&batch), batch).await
    }
}

/// The queue that all are about: those of different queues do not wait for each other, since stores may be away in part.
fn only_queue(batch: &[Transition]) -> Option<QueueName> {
    let first = &batch.first()?.queue;
    batch.iter().all(|transition| transition.queue == *first).then(|| first.clone())
}
