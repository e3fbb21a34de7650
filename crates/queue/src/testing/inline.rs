//! A memory store that runs jobs inside their enqueue.

use async_trait::async_trait;
use parking_lot::Mutex;
use queue_core::{
    Enqueued, ManualClock, NewJob, QueueName, Result, Rng, Stamped, Storage, StorageLayer, lifecycle::Policy,
};
use queue_memory::MemoryStorage;
use queue_worker::{JobHandler, Worker, WorkerReport};
use std::{collections::HashMap, fmt, sync::Arc};

/// A memory store with handlers that run as soon as a job of their queue is enqueued. The enqueue
/// answers when no job of that queue is due any more.
#[derive(Debug)]
pub(super) struct Inline {
    store: Arc<MemoryStorage>,
    runners: Mutex<HashMap<QueueName, Runner>>,
}

/// The handler that runs the jobs of a queue.
#[derive(Clone)]
pub(super) struct Runner {
    pub(super) handler: Arc<JobHandler>,
    pub(super) policy: Policy,
    pub(super) rng: Arc<dyn Rng>,
}

impl Inline {
    pub(super) fn new(clock: Arc<ManualClock>) -> Self {
        Self { store: Arc::new(MemoryStorage::with_clock(clock)), runners: Mutex::default() }
    }

    /// Makes this runner run the jobs of a queue as they are enqueued, in place of an earlier one.
    pub(super) fn set(&self, queue: QueueName, runner: Runner) {
        self.runners.lock().insert(queue, runner);
    }

    fn runner(&self, queue: &QueueName) -> Option<Runner> {
        self.runners.lock().get(queue).cloned()
    }
}

impl Runner {
    /// Runs the due jobs of a queue, one after another in claim order, until none is due.
    pub(super) async fn run(self, storage: Arc<dyn Storage>, queue: QueueName) -> WorkerReport {
        let worker = Worker::builder(storage, queue, self.handler).policy(self.policy).rng(self.rng);
        let worker = worker.concurrency(1).prefetch(0).until_idle().build();
        worker.expect("the settings are valid").run().await
    }
}

#[async_trait]
impl StorageLayer for Inline {
    type Inner = MemoryStorage;

    fn inner(&self) -> &MemoryStorage {
        &self.store
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        let answer = self.store.enqueue(queue, groups).await?;
        if let Some(runner) = self.runner(queue) {
            let _report = runner.run(self.store.clone(), queue.clone()).await;
        }
        Ok(answer)
    }
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Runner(..)")
    }
}
