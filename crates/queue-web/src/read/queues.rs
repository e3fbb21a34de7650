//! The queues of a store with their counts.

use crate::{problem::Result, visit::Visit};
use queue::operations::OPERATIONS_QUEUE;
use queue_core::{QueueName, QueueStatus, StorageExt, WorkerInfo};
use queue_view::{is_library_worker, works_on};
use std::{sync::Arc, time::Duration};

/// The most queues that a page shows.
const QUEUES_MAX: usize = 500;
/// How old counts may be: as old as the pages that ask for them each second.
const AGE: Duration = Duration::from_millis(950);

/// The first queues that a visitor may see, in the order of their names, without the library's own.
#[derive(Debug)]
pub(crate) struct QueueList {
    pub(crate) queues: Vec<QueueStatus>,
    /// Whether there are more, or more queues than are looked at.
    pub(crate) has_more: bool,
}

impl Visit {
    /// The queues that the visitor may see. Visitors with the same access share one read. The bound
    /// counts after the filter, so queues that are hidden from a visitor do not displace the
    /// visible ones.
    pub(crate) async fn queues(&self) -> Result<Arc<QueueList>> {
        let (storage, seen) = (self.storage().clone(), self.seen_queues().without_reserved());
        let key = self.key("queues", &self.patterns());
        let read = async move {
            let page = storage.first_queues_of(&seen, QUEUES_MAX).await?;
            Ok(QueueList { queues: page.queues, has_more: page.next.is_some() })
        };
        self.app.snapshots.get(key, AGE, read).await
    }

    /// One queue; `None` if there is none.
    pub(crate) async fn status_of(&self, queue: &QueueName) -> Result<Option<QueueStatus>> {
        let (storage, name) = (self.storage().clone(), queue.clone());
        let read = async move { Ok(storage.status_of(&name).await?) };
        let found = self.app.snapshots.get(self.key("status", queue.as_str()), AGE, read).await?;
        Ok((*found).clone())
    }

    /// The workers of applications that are present, and work on a queue that the visitor may see;
    /// `None` if the store does not tell.
    pub(crate) async fn workers(&self) -> Result<Option<Vec<WorkerInfo>>> {
        let found = self.all_workers().await?;
        let Some(workers) = &*found else { return Ok(None) };
        let seen = |worker: &&WorkerInfo| {
            worker.queues.iter().any(|queue| self.sees(queue))
                || (worker.queues.is_empty() && self.sees_all())
        };
        let seen = workers.iter().filter(|worker| !is_library_worker(worker)).filter(seen);
        Ok(Some(seen.cloned().collect()))
    }

    /// Whether no worker would run an operation now, as far as the store says.
    pub(crate) async fn lacks_operation_worker(&self) -> Result<bool> {
        let operations = QueueName::from_static(OPERATIONS_QUEUE);
        let runs = |worker: &WorkerInfo| works_on(worker, &operations);
        Ok(self.all_workers().await?.as_ref().as_ref().is_some_and(|workers| !workers.iter().any(runs)))
    }

    async fn all_workers(&self) -> Result<Arc<Option<Vec<WorkerInfo>>>> {
        let storage = self.storage().clone();
        let read = async move {
            if !storage.capabilities().presence {
                return Ok(None);
            }
            Ok(Some(storage.workers().await?))
        };
        self.app.snapshots.get(self.key("workers", ""), AGE, read).await
    }

    /// The key of a snapshot of this store.
    pub(crate) fn key(&self, what: &str, of: &str) -> String {
        format!("{what}\u{0}{}\u{0}{of}", self.store.name)
    }
}
