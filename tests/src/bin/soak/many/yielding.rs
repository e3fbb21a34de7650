//! A store in the memory of this process, whose callers can be killed at its calls.

use async_trait::async_trait;
use queue::{
    Result, Storage,
    queue_core::{
        Applied, Detail, ImportRequest, Imported, JobId, JobRecord, ListQuery, Page, QueueName, Stamped,
        StorageLayer, lifecycle::Transition,
    },
};
use std::sync::Arc;
use tokio::task::yield_now;

/// Yields before each call of a copy or of an operation. A store in memory answers without waiting,
/// so its caller would only be dropped once it is done. The runtime may still poll it a few times
/// before it notices its own end.
#[derive(Debug)]
pub(crate) struct YieldingStore(pub(crate) Arc<dyn Storage>);

#[async_trait]
impl StorageLayer for YieldingStore {
    type Inner = dyn Storage;

    fn inner(&self) -> &Self::Inner {
        &*self.0
    }

    async fn apply(&self, transitions: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        yield_now().await;
        self.0.apply(transitions).await
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        detail: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        yield_now().await;
        self.0.get(queue, ids, detail).await
    }

    async fn import(&self, request: ImportRequest) -> Result<Stamped<Vec<Imported>>> {
        yield_now().await;
        self.0.import(request).await
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        yield_now().await;
        self.0.list(query).await
    }
}
