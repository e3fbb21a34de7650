//! Copies that end in the middle, and are run again.

use super::{assert_same, copy, count, fill, jobs, run};
use async_trait::async_trait;
use queue::{
    Error, ErrorKind, QueueName, Result, Storage, open,
    queue_core::{
        Detail, Enqueued, ImportRequest, Imported, JobAttempts, JobId, JobRecord, ListQuery, NewJob, Page,
        Stamped, StorageLayer,
    },
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// More calls than a copy of a few jobs makes.
const CALLS_MAX: usize = 500;

/// A store whose process ends at one of its calls: this one may have taken effect, and no later one
/// does.
#[derive(Debug)]
struct EndingStore {
    store: Arc<dyn Storage>,
    calls: Arc<AtomicUsize>,
    ends_at: usize,
    /// Whether the last call takes effect.
    applies: bool,
}

impl EndingStore {
    async fn call<T>(&self, call: impl Future<Output = Result<T>>) -> Result<T> {
        let nth = self.calls.fetch_add(1, Ordering::SeqCst);
        if nth < self.ends_at {
            return call.await;
        }
        if nth == self.ends_at && self.applies {
            drop(call.await);
        }
        Err(Error::new(ErrorKind::Unavailable, "test", "the process has ended").unknown())
    }
}

#[async_trait]
impl StorageLayer for EndingStore {
    type Inner = dyn Storage;

    fn inner(&self) -> &(dyn Storage + 'static) {
        &*self.store
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.call(self.store.enqueue(queue, groups)).await
    }

    async fn apply(
        &self,
        batch: Vec<queue::queue_core::lifecycle::Transition>,
    ) -> Result<Stamped<Vec<queue::queue_core::Applied>>> {
        self.call(self.store.apply(batch)).await
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

    async fn attempts(&self, queue: &QueueName, ids: &[JobId]) -> Result<Stamped<Vec<Option<JobAttempts>>>> {
        self.call(self.store.attempts(queue, ids)).await
    }

    /// In two halves, so that a call ends between two jobs too.
    async fn import(&self, request: ImportRequest) -> Result<Stamped<Vec<Imported>>> {
        let half = request.jobs.len() / 2;
        let (jobs, rest) = request.jobs.split_at(half);
        let first = ImportRequest { jobs: jobs.to_vec(), ..request.clone() };
        let second = ImportRequest { jobs: rest.to_vec(), ..request.clone() };
        let mut answer = self.call(self.store.import(first)).await?;
        answer.value.extend(self.call(self.store.import(second)).await?.value);
        Ok(answer)
    }

    async fn set_paused(
        &self,
        queue: &QueueName,
        kind: Option<&queue_core::Kind>,
        pause: queue_core::Pause,
    ) -> Result<()> {
        self.call(self.store.set_paused(queue, kind, pause)).await
    }
}

#[tokio::test]
async fn a_copy_that_ends_at_any_call_is_finished_by_the_next_one() {
    for applies in [false, true] {
        let mut is_whole = false;
        for ends_at in 0..CALLS_MAX {
            let (from, to) =
                (open("memory:").await.expect("it answers"), open("memory:").await.expect("it answers"));
            fill(&*from).await;
            let calls = Arc::new(AtomicUsize::new(0));
            let ending = |store: &Arc<dyn Storage>| -> Arc<dyn Storage> {
                Arc::new(EndingStore { store: store.clone(), calls: calls.clone(), ends_at, applies })
            };
            let cut = run(&copy(&ending(&from), &ending(&to))).await;
            let report = run(&copy(&from, &to).again())
                .await
                .unwrap_or_else(|error| panic!("call {ends_at}: {error}"));
            assert!(report.is_verified(), "call {ends_at}: {report:?}");
            assert_same(&*from, &*to).await;
            if cut.is_ok() {
                assert!(ends_at > 20, "the copy made {ends_at} calls");
                is_whole = true;
                break;
            }
        }
        assert!(is_whole, "no copy came to its end");
    }
}

#[tokio::test]
async fn what_is_there_already_is_left_alone_and_what_is_new_is_added() {
    let (from, to) = (open("memory:").await.expect("it answers"), open("memory:").await.expect("it answers"));
    fill(&*from).await;
    let first = run(&copy(&from, &to)).await.expect("it answers");
    let stored = first.queues.iter().map(|queue| queue.stored).sum::<u64>();
    assert_eq!((stored, first.queues[0].present), (11, 0));
    // A producer of the source did not know of the copy.
    super::put(&*from, &jobs(), super::job("late")).await;
    let second = run(&copy(&from, &to).again()).await.expect("it answers");
    assert_eq!((second.queues[0].stored, second.queues[0].present), (1, 10));
    assert!(second.is_verified());
    assert_same(&*from, &*to).await;
    assert_eq!(count(&*from, &jobs()).await, 11, "the source keeps its jobs, and nothing else");
}
