//! A store layer that counts the claims and reads of each queue.

use async_trait::async_trait;
use parking_lot::Mutex;
use queue::{
    Result, Storage,
    queue_core::{ClaimRequest, Claimed, Detail, JobId, JobRecord, QueueName, Stamped, StorageLayer},
};
use std::{collections::BTreeMap, sync::Arc};

/// The number of claims and reads of each queue.
pub(crate) type Questions = BTreeMap<String, u64>;

/// Counts the claims and reads that pass through.
#[derive(Debug)]
pub(crate) struct Counting {
    store: Arc<dyn Storage>,
    questions: Mutex<Questions>,
}

impl Counting {
    pub(crate) fn over(store: Arc<dyn Storage>) -> Self {
        Self { store, questions: Mutex::default() }
    }

    pub(crate) fn questions(&self) -> Questions {
        self.questions.lock().clone()
    }

    pub(crate) fn questions_since(&self, before: &Questions) -> Questions {
        let mut since = self.questions();
        for (queue, questions) in &mut since {
            *questions -= before.get(queue).copied().unwrap_or(0);
        }
        since
    }

    fn count(&self, queue: &QueueName) {
        let mut questions = self.questions.lock();
        *questions.entry(queue.as_str().to_owned()).or_default() += 1;
    }
}

#[async_trait]
impl StorageLayer for Counting {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.store
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        self.count(&request.queue);
        self.store.claim(request).await
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        self.count(queue);
        self.store.get(queue, ids, what).await
    }
}
