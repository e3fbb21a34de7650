//! A store whose time is turned by hand, a worker with handlers of members and callbacks, and what
//! the callbacks got.

use parking_lot::Mutex;
use queue::{
    JobId, JobKind, JobOptions, ManualClock, Queue, Seq, State, Storage, StorageExt,
    batches::{Batch, BatchBuilder, BatchEnd, BatchLife, BatchName, BatchStatus},
    queue_core::{Detail, JobMeta},
    worker::{Context, JobError, Router, WorkerBuilder, WorkerReport},
};
use queue_testkit::fault::{DyingStore, StorageVerb};
use serde::{Deserialize, Serialize};
use std::{sync::Arc, time::Duration};

pub(crate) const SECOND: Duration = Duration::from_secs(1);
pub(crate) const HOUR: Duration = Duration::from_secs(3600);
pub(crate) const DAY: Duration = Duration::from_secs(24 * 3600);

pub(crate) const END: JobKind<BatchEnd<String>> = JobKind::new("end");
pub(crate) const SUCCESS: JobKind<BatchEnd<String>> = JobKind::new("success");
pub(crate) const FAILURE: JobKind<BatchEnd<String>> = JobKind::new("failure");
pub(crate) const FIRST: JobKind<BatchEnd<String>> = JobKind::new("first");

/// The most rounds in which store time moves on to the end of a batch.
const ROUNDS_MAX: usize = 100;

/// What a member does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Work {
    Complete,
    Fail,
    /// Fails at its first attempt.
    FailOnce,
    /// Adds another member of this id, and completes.
    Add(String),
    /// Adds another member of this id, and fails.
    AddAndFail(String),
}

/// A callback that ran.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Called {
    pub(crate) kind: &'static str,
    /// The life of its job: one that is enqueued twice has two.
    pub(crate) seq: Seq,
    pub(crate) end: BatchEnd<String>,
}

pub(crate) struct Stage {
    pub(crate) queue: Queue<Work>,
    pub(crate) clock: Arc<ManualClock>,
    called: Arc<Mutex<Vec<Called>>>,
}

impl Stage {
    pub(crate) fn on(storage: Arc<dyn Storage>, clock: Arc<ManualClock>) -> Self {
        let queue = Queue::new(storage, "imports").expect("a valid name");
        Self { queue, clock, called: Arc::default() }
    }

    /// The same stage behind another store, such as one with faults.
    pub(crate) fn behind(&self, storage: Arc<dyn Storage>) -> Self {
        let queue = Queue::new(storage, "imports").expect("a valid name");
        Self { queue, clock: self.clock.clone(), called: self.called.clone() }
    }

    /// The store for a worker that dies at the call with this number, before or after it took
    /// effect.
    pub(crate) fn dying(&self, call: u64, takes_effect: bool) -> Arc<DyingStore> {
        const VERBS: &[StorageVerb] =
            &[StorageVerb::Enqueue, StorageVerb::Apply, StorageVerb::Get, StorageVerb::List];
        let steps = 2 * call + u64::from(takes_effect);
        Arc::new(DyingStore::new(self.queue.storage().clone(), VERBS, steps, || {}))
    }

    /// A batch with a callback for each moment.
    pub(crate) fn batch(&self, name: &str) -> BatchBuilder<Work> {
        let given = "given".to_owned();
        let batch = self.queue.batch(name).on_end(END, &given).on_success(SUCCESS, &given);
        batch.on_failure(FAILURE, &given).on_first_failure(FIRST, &given)
    }

    /// Enqueues a plain job under an id of the library, as another program may.
    pub(crate) async fn take_id(&self, id: impl Into<String>, options: &JobOptions) {
        let mut job = self.queue.new_job("taken", &Work::Complete, options).expect("it is valid");
        job.id = JobId::new(id.into()).expect("an id");
        let stored = self.queue.storage().enqueue(self.queue.name(), vec![vec![job]]).await;
        assert!(stored.expect("it is stored").value[0][0].is_new());
    }

    pub(crate) fn advance(&self, by: Duration) {
        self.clock.advance(by);
    }

    /// Runs all jobs that are due.
    pub(crate) async fn run(&self) -> WorkerReport {
        self.worker().build().expect("valid settings").run().await
    }

    /// A worker that runs all jobs that are due.
    pub(crate) fn worker(&self) -> WorkerBuilder {
        self.queue.worker(self.router()).concurrency(1).prefetch(0).until_idle()
    }

    /// Runs until the batch's own job has ended, while store time moves on by seconds.
    pub(crate) async fn finish(&self, name: &str) -> JobMeta {
        for _ in 0..ROUNDS_MAX {
            self.run().await;
            let meta = self.coordinator(name).await;
            if meta.state.is_terminal() {
                return meta;
            }
            self.advance(SECOND);
        }
        panic!("the batch {name} is not over: {:#?}", self.status(name).await);
    }

    pub(crate) async fn status(&self, name: &str) -> BatchStatus {
        self.queue.batches().get(name).await.expect("reads").expect("it is there")
    }

    pub(crate) async fn coordinator(&self, name: &str) -> JobMeta {
        self.meta(&BatchLife::coordinator_of(&BatchName::new(name).expect("a name")))
            .await
            .expect("it is there")
    }

    pub(crate) async fn meta(&self, id: &JobId) -> Option<JobMeta> {
        let read = self.queue.storage().get_one(self.queue.name(), id, Detail::Meta).await;
        read.expect("reads").map(|record| record.meta)
    }

    pub(crate) async fn state(&self, id: &JobId) -> Option<State> {
        self.meta(id).await.map(|meta| meta.state)
    }

    /// The callbacks that ran since the last call, in order.
    pub(crate) fn called(&self) -> Vec<Called> {
        std::mem::take(&mut *self.called.lock())
    }

    /// The kinds of the callbacks that ran since the last call, sorted.
    pub(crate) fn kinds(&self) -> Vec<&'static str> {
        let mut kinds: Vec<_> = self.called().into_iter().map(|called| called.kind).collect();
        kinds.sort_unstable();
        kinds
    }

    fn router(&self) -> Router {
        let noted = |kind: &'static str| {
            let called = self.called.clone();
            move |end: BatchEnd<String>, context: Context| {
                called.lock().push(Called { kind, seq: context.meta().seq, end });
                async { Ok(()) }
            }
        };
        let router = Router::new(()).handle("default", |work: Work, context| async move {
            match work {
                Work::Fail => Err(JobError::terminal("it fails")),
                Work::FailOnce if context.attempt() == 1 => Err(JobError::named("Once", "again")),
                Work::Complete | Work::FailOnce => Ok(()),
                Work::Add(id) => {
                    context.batch()?.add(id, &Work::Complete)?;
                    Ok(())
                }
                Work::AddAndFail(id) => {
                    context.batch()?.add(id, &Work::Complete)?;
                    Err(JobError::terminal("it fails"))
                }
            }
        });
        let router = router.and_then(|router| router.handle(END, noted("end")));
        let router = router.and_then(|router| router.handle(SUCCESS, noted("success")));
        let router = router.and_then(|router| router.handle(FAILURE, noted("failure")));
        router.and_then(|router| router.handle(FIRST, noted("first"))).expect("valid kinds")
    }
}

/// Adds members `m0`, `m1` and so on.
pub(crate) async fn add(batch: &Batch<Work>, works: &[Work]) {
    let members = works.iter().enumerate().map(|(at, work)| (format!("m{at}"), work.clone()));
    let added = batch.add_all_with(members, JobOptions::new()).await.expect("adds");
    assert_eq!(added.len(), works.len());
}
