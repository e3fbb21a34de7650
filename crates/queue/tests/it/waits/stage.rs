//! A store with a waiting and a working handle, with or without hints.

use crate::support::{Fault, Faulty, SECOND, spawn};
use queue::{MemoryStorage, Outcome, Queue, Storage, open, worker::TokioClock};
use queue_testkit::fault::{FaultPlan, FaultStore, HintFault};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tempfile::TempDir;
use tokio::{task::JoinHandle, time::timeout};

/// Longer than anything here takes, and shorter than a test may hang.
const PATIENCE: Duration = Duration::from_secs(60);

/// The treatment of hints on their way to a waiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hints {
    Heard,
    Dropped,
}

/// One store with a handle for each side.
pub(crate) struct Stage {
    waiting: Arc<dyn Storage>,
    working: Arc<dyn Storage>,
    /// The streams of hints that the waiting side holds.
    held: Arc<AtomicUsize>,
    _files: Option<TempDir>,
}

impl Stage {
    /// A stage on paused time.
    pub(crate) fn memory(hints: Hints) -> Self {
        let working = MemoryStorage::with_clock(Arc::new(TokioClock::default()));
        let waiting = working.another_handle();
        Self::new(Arc::new(waiting), Arc::new(working), hints, None)
    }

    /// A stage in real time, on files of its own.
    pub(crate) async fn on_disk(scheme: &str, hints: Hints) -> Self {
        let files = tempfile::tempdir().expect("there is room for temporary files");
        let url = format!("{scheme}:{}/waits", files.path().display());
        let waiting = open(&url).await.expect("opens");
        Self::new(waiting, open(&url).await.expect("opens again"), hints, Some(files))
    }

    fn new(
        waiting: Arc<dyn Storage>,
        working: Arc<dyn Storage>,
        hints: Hints,
        files: Option<TempDir>,
    ) -> Self {
        let plan = FaultPlan::new(0);
        let plan = if hints == Hints::Heard { plan } else { plan.hints_one_in(1, HintFault::Drop) };
        let held = Arc::new(AtomicUsize::new(0));
        let waiting =
            Faulty::wrap(Arc::new(FaultStore::new(waiting, plan)), Fault::StreamsCounted(held.clone()));
        Self { waiting, working, held, _files: files }
    }

    /// The handle of the waiting side.
    pub(super) fn waiting<R>(&self) -> Queue<String, R> {
        Queue::new(self.waiting.clone(), "waits").expect("a valid name")
    }

    /// The handle of the working side.
    pub(super) fn working<R>(&self) -> Queue<String, R> {
        Queue::new(self.working.clone(), "waits").expect("a valid name")
    }

    /// Stores a job with the id `a`.
    pub(super) async fn put(&self) {
        self.put_many(["a"]).await;
    }

    pub(super) async fn put_many<'a>(&self, ids: impl IntoIterator<Item = &'a str>) {
        for id in ids {
            let stored = self.working::<String>().enqueue(id, "in".to_owned()).await.expect("stores");
            assert!(stored.is_new());
        }
    }

    /// Claims the due job, and completes it.
    pub(super) async fn complete(&self, result: &str) {
        let job = self.working::<String>().dequeue(10 * SECOND).await.expect("claims").expect("a job is due");
        assert_eq!(job.ack(&result.to_owned()).await.expect("settles"), queue::Settled::Done);
    }

    /// Starts a wait.
    pub(super) fn wait(&self, id: &str) -> JoinHandle<Outcome<String>> {
        let (queue, id) = (self.waiting(), id.to_owned());
        spawn(async move { soon(queue.wait(id, PATIENCE)).await.expect("the store is well") })
    }

    /// Starts a wait, and lets it see the job.
    pub(super) async fn wait_and_see(&self, id: &str) -> JoinHandle<Outcome<String>> {
        let wait = self.wait(id);
        let queue = self.working::<String>();
        until(async || queue.status(id).await.expect("reads").is_some_and(|job| job.meta.awaited)).await;
        wait
    }

    /// Waits until this many waiters have subscribed.
    pub(super) async fn listening(&self, waiters: usize) {
        until(async || self.held.load(Ordering::SeqCst) == waiters).await;
    }

    /// Asserts that no wait has left a subscription behind.
    pub(super) async fn nobody_listens(&self) {
        self.listening(0).await;
    }
}

/// Fails work that would hang.
pub(super) async fn soon<T>(work: impl Future<Output = T>) -> T {
    timeout(2 * PATIENCE, work).await.expect("it hangs")
}

/// Repeats a check until it holds.
pub(super) async fn until(mut holds: impl AsyncFnMut() -> bool) {
    soon(async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
    .await;
}
