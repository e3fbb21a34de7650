//! A store of a program that dies at one of its calls.

use crate::fault::StorageVerb;
use async_trait::async_trait;
use queue_core::{
    Applied, ClaimRequest, Claimed, Detail, Enqueued, Error, ErrorKind, JobId, JobRecord, ListQuery, NewJob,
    Page, QueueName, Result, Stamped, Storage, StorageLayer, lifecycle::Transition,
};
use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

/// A store of a program that dies before or after one of its calls, as one that is killed does.
///
/// Each call of the chosen verbs is two steps, one before it takes effect and one after. They are
/// chosen from `Enqueue`, `Claim`, `Apply`, `Get` and `List`; calls of other verbs are no steps. A
/// claim that finds nothing is none either, since callers repeat it as they like.
///
/// ```
/// use queue_core::{QueueName, Storage};
/// use queue_memory::MemoryStorage;
/// use queue_testkit::fault::{DyingStore, StorageVerb};
/// use std::sync::Arc;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let queue = QueueName::from_static("emails");
/// let store = DyingStore::new(Arc::new(MemoryStorage::new()), &[StorageVerb::Enqueue], 1, || {});
/// store.enqueue(&queue, Vec::new()).await.expect_err("the program dies before the answer is there");
/// assert!(store.is_dead());
/// # }
/// ```
#[derive(Debug)]
pub struct DyingStore {
    store: Arc<dyn Storage>,
    verbs: &'static [StorageVerb],
    /// The steps that the program still lives through; less than zero once it is dead.
    left: AtomicI64,
    death: fn(),
}

impl DyingStore {
    /// The program lives through so many steps. At the next one it calls `death`, which may kill
    /// the process; if that returns, this step and all later ones fail.
    #[must_use]
    pub fn new(store: Arc<dyn Storage>, verbs: &'static [StorageVerb], steps: u64, death: fn()) -> Self {
        let left = AtomicI64::new(i64::try_from(steps).unwrap_or(i64::MAX));
        Self { store, verbs, left, death }
    }

    /// Whether it has come to its end.
    pub fn is_dead(&self) -> bool {
        self.left.load(Ordering::SeqCst) < 0
    }

    async fn call<T>(&self, verb: StorageVerb, call: impl Future<Output = Result<T>> + Send) -> Result<T> {
        self.step(verb)?;
        let answer = call.await;
        self.step(verb)?;
        answer
    }

    fn step(&self, verb: StorageVerb) -> Result<()> {
        if !self.verbs.contains(&verb) {
            return Ok(());
        }
        match self.left.fetch_sub(1, Ordering::SeqCst) {
            1.. => return Ok(()),
            0 => (self.death)(),
            _ => {}
        }
        Err(Error::new(ErrorKind::Closed, "test", "the program has died").unknown())
    }
}

#[async_trait]
impl StorageLayer for DyingStore {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.store
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.call(StorageVerb::Enqueue, self.store.enqueue(queue, groups)).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        self.step(StorageVerb::Claim)?;
        let claimed = self.store.claim(request).await?;
        if !claimed.jobs.is_empty() {
            self.step(StorageVerb::Claim)?;
        } else if self.verbs.contains(&StorageVerb::Claim) {
            self.left.fetch_add(1, Ordering::SeqCst);
        }
        Ok(claimed)
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.call(StorageVerb::Apply, self.store.apply(batch)).await
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        self.call(StorageVerb::Get, self.store.get(queue, ids, what)).await
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        self.call(StorageVerb::List, self.store.list(query)).await
    }
}
