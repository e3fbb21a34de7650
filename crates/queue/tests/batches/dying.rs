//! A worker that dies at one of the calls of its store.

use crate::stage::Stage;
use async_trait::async_trait;
use queue::{
    Error, ErrorKind, JobId, NewJob, QueueName, Result, Storage,
    queue_core::{
        Applied, Detail, Enqueued, JobRecord, ListQuery, Page, Stamped, StorageLayer, lifecycle::Transition,
    },
};
use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

/// A store whose call of some number fails, before or after it took effect, and all calls after
/// it: the program has died.
#[derive(Debug)]
pub(crate) struct Dying {
    store: Arc<dyn Storage>,
    left: AtomicI64,
    takes_effect: bool,
}

impl Dying {
    /// The store of a stage, for a worker that makes this many calls.
    pub(crate) fn of(stage: &Stage, calls: i64, takes_effect: bool) -> Self {
        Self { store: stage.queue.storage().clone(), left: AtomicI64::new(calls), takes_effect }
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.left.load(Ordering::Relaxed) < 0
    }

    async fn call<T>(&self, call: impl Future<Output = Result<T>> + Send) -> Result<T> {
        let left = self.left.fetch_sub(1, Ordering::Relaxed);
        let dead = || Error::new(ErrorKind::Closed, "test", "the program has died").unknown();
        match left {
            1.. => call.await,
            0 if self.takes_effect => call.await.and(Err(dead())),
            _ => Err(dead()),
        }
    }
}

#[async_trait]
impl StorageLayer for Dying {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.store
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.call(self.store.enqueue(queue, groups)).await
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        self.call(self.store.get(queue, ids, what)).await
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        self.call(self.store.list(query)).await
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.call(self.store.apply(batch)).await
    }
}
