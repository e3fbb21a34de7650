//! A memory store for tests, with any number of queues.

use super::{TestQueue, inline::Inline};
use crate::{Queue, QueueBuilder};
use queue_core::{Clock, ManualClock, Rng, SeededRng, Storage, TimeOrderedIds, Timestamp};
use std::{sync::Arc, time::Duration};

/// The seed of generated ids and lease tokens, so that every run has the same ones.
const SEED: u64 = 1;

/// A memory store for one test, whose time moves only by [`advance`](Self::advance), with any
/// number of queues. A clone is another handle on the same store.
///
/// ```
/// use queue::{Queue, testing::TestStore};
/// use std::time::Duration;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
/// let store = TestStore::new();
/// let emails = store.queue::<String, ()>("emails");
/// let reports = store.queue::<u32, u64>("reports");
///
/// // The code under test makes its own handles, as in production.
/// let of_application: Queue<u32, u64> = Queue::new(store.storage(), "reports")?;
/// of_application.enqueue("report-7", 7).await?;
///
/// reports.enqueued().payload(7).assert_one().await;
/// emails.enqueued().assert_none().await;
/// store.advance(Duration::from_secs(3600)); // for both
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct TestStore {
    clock: Arc<ManualClock>,
    storage: Arc<Inline>,
    rng: Arc<dyn Rng>,
}

impl TestStore {
    /// An empty store. Its time begins with the year 2026.
    pub fn new() -> Self {
        let clock = Arc::new(ManualClock::default());
        let storage = Arc::new(Inline::new(clock.clone()));
        Self { clock, storage, rng: Arc::new(SeededRng::new(SEED)) }
    }

    /// The queue of this name, with JSON payloads and default options. Two queues of one name are
    /// the same queue.
    ///
    /// # Panics
    /// If the name is not valid.
    pub fn queue<P, R>(&self, name: &str) -> TestQueue<P, R> {
        self.queue_with(name, |builder| builder)
    }

    /// The queue of this name with the codec, the options or the policy of the application.
    ///
    /// # Panics
    /// If the name or an option is not valid.
    pub fn queue_with<P, R>(
        &self,
        name: &str,
        set: impl FnOnce(QueueBuilder<P, R>) -> QueueBuilder<P, R>,
    ) -> TestQueue<P, R> {
        let ids = Arc::new(TimeOrderedIds::new(self.clock.clone(), self.rng.clone()));
        let builder = Queue::builder(self.storage(), name).rng(self.rng.clone()).ids(ids);
        let queue = set(builder).build().expect("the name and the settings of the queue are valid");
        TestQueue::on(self.clone(), queue)
    }

    /// The store, for code that makes its own queues on it.
    pub fn storage(&self) -> Arc<dyn Storage> {
        self.storage.clone()
    }

    /// The present store time.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Moves the store's time forward by whole milliseconds: delays, retries, leases and retention
    /// of all its queues.
    pub fn advance(&self, by: Duration) {
        self.clock.advance(by);
    }

    pub(super) fn inline(&self) -> &Inline {
        &self.storage
    }

    pub(super) fn rng(&self) -> &Arc<dyn Rng> {
        &self.rng
    }
}

impl Default for TestStore {
    fn default() -> Self {
        Self::new()
    }
}
