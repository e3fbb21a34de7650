//! Producers, workers and others that go on through all faults, and the verdict on their answers.

use crate::faults::verdict::Verdict;
use queue_core::{
    Budget, Changed, ClaimRequest, ClaimedJob, ContentType, Detail, Error, Failure, JobId, Kind, ListQuery,
    NewJob, Pause, Payload, Prune, PruneRequest, QueueName, Result, RetryPolicy, Rng, SeededRng, Span,
    Storage, StorageExt, WorkerId,
    lifecycle::{Cause, Event, OnProcessing, Policy},
};
use queue_redis::{RedisOptions, RedisStorage};
use queue_testkit::history::{Event as HistoryEvent, Op, Phase, Recorded, Recorder, Rules, check};
use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};

const PRODUCERS: usize = 2;
const WORKERS: usize = 4;
const SHARED_IDS: u64 = 12;
const LEASE: Span = Span::from_millis(500);
/// The pause between two steps of a task, and before a failed call is repeated.
const PAUSE: Duration = Duration::from_millis(3);
const RESENDS_MAX: usize = 200;
const DRAIN_MAX: Duration = Duration::from_secs(60);
const BATCH: usize = 100;
/// The second may be paused.
const KINDS: [&str; 2] = ["open", "paused"];

/// A load that runs until it is finished.
pub(crate) struct Load {
    stage: Arc<Stage>,
    tasks: JoinSet<()>,
}

/// What all tasks share.
struct Stage {
    stores: Vec<Arc<dyn Storage>>,
    recorder: Arc<Recorder>,
    queue: QueueName,
    is_over: AtomicBool,
}

/// One task.
struct Actor {
    name: String,
    stage: Arc<Stage>,
    store: Recorded<dyn Storage>,
    rng: SeededRng,
    policy: Policy,
}

impl Load {
    pub(crate) async fn start(options: RedisOptions) -> Self {
        let mut stores: Vec<Arc<dyn Storage>> = Vec::new();
        for _ in 0..2 {
            stores.push(Arc::new(RedisStorage::open(options.clone()).await.expect("it opens")));
        }
        let queue = QueueName::from_static("load");
        let stage =
            Stage { stores, recorder: Arc::new(Recorder::new()), queue, is_over: AtomicBool::new(false) };
        let stage = Arc::new(stage);
        let mut tasks = JoinSet::new();
        for number in 0..PRODUCERS {
            tasks.spawn(Actor::new(&stage, "producer", number).produce());
        }
        for number in 0..WORKERS {
            tasks.spawn(Actor::new(&stage, "worker", number).work());
        }
        tasks.spawn(Actor::new(&stage, "meddler", 0).meddle());
        Self { stage, tasks }
    }

    /// Pauses and resumes a kind all the time, too.
    pub(crate) fn pausing(mut self) -> Self {
        self.tasks.spawn(Actor::new(&self.stage, "pauser", 0).pause_and_resume());
        self
    }

    /// Ends the tasks, works off what is left, reads everything and judges. All faults must have
    /// been healed.
    pub(crate) async fn finish(self) -> Verdict {
        self.stage.is_over.store(true, Ordering::Release);
        self.tasks.join_all().await;
        let completed = Actor::new(&self.stage, "drain", 0).drain().await;
        for store in &self.stage.stores {
            store.close().await.expect("it closes");
        }
        let history = self.stage.recorder.history();
        let violations = check(&history, &Rules::default());
        let is_unanswered = |event: &&HistoryEvent| matches!(event.phase, Phase::Info | Phase::Fail);
        let unanswered = history.events().iter().filter(is_unanswered).count();
        Verdict { violations, events: history.events().len(), unanswered, completed }
    }
}

impl Actor {
    fn new(stage: &Arc<Stage>, role: &str, number: usize) -> Self {
        let store = stage.stores[number % stage.stores.len()].clone();
        let (retry, stall) =
            (RetryPolicy::Fixed(Duration::from_millis(30)), RetryPolicy::Fixed(Duration::from_millis(60)));
        Self {
            name: format!("{role}-{number}"),
            store: Recorded::new(store, stage.recorder.clone()),
            rng: SeededRng::new(role.len() as u64 * 1_000 + number as u64),
            policy: Policy::default().retry(retry).stall(stall),
            stage: stage.clone(),
        }
    }

    fn goes_on(&self) -> bool {
        !self.stage.is_over.load(Ordering::Acquire)
    }

    fn below(&self, bound: u64) -> u64 {
        (self.rng.next_u128() % u128::from(bound)) as u64
    }

    /// Repeats a call until it is answered.
    async fn insist<T, F: Future<Output = Result<T>>>(&self, send: impl Fn() -> F) -> Option<T> {
        for _ in 0..RESENDS_MAX {
            if let Some(answer) = expected(send().await) {
                return Some(answer);
            }
            sleep(PAUSE).await;
        }
        None
    }

    async fn produce(self) {
        let mut number = 0;
        while self.goes_on() {
            let group: Vec<NewJob> = (0..=self.below(4)).map(|_| self.job(&mut number)).collect();
            let groups = vec![group];
            let send = || self.store.enqueue(&self.stage.queue, groups.clone());
            // A call that is not repeated leaves its outcome unknown, and then shows whether a
            // group is all or nothing.
            if self.below(3) == 0 {
                drop(expected(send().await));
            } else {
                drop(self.insist(send).await);
            }
            sleep(PAUSE).await;
        }
    }

    fn job(&self, number: &mut usize) -> NewJob {
        *number += 1;
        let is_shared = self.below(4) == 0;
        let text = if is_shared {
            format!("shared-{}", self.below(SHARED_IDS))
        } else {
            format!("{}-{number}", self.name)
        };
        let payload = payload(format!("{} {number}", self.name));
        let id = JobId::new(text).expect("valid");
        let kind = Kind::from_static(KINDS[*number % KINDS.len()]);
        let job = NewJob::new(id, kind, payload).with_max_stalls(Budget::from_raw(5));
        if self.below(5) == 0 { job.with_delay(Span::from_millis(50)) } else { job }
    }

    async fn work(self) {
        while self.goes_on() {
            let Some(claimed) = expected(self.store.claim(self.request()).await) else {
                sleep(PAUSE).await;
                continue;
            };
            for job in claimed.jobs {
                // A worker that is killed leaves jobs that no one settles.
                if self.below(12) > 0 {
                    self.handle(&job).await;
                }
            }
            sleep(PAUSE).await;
        }
    }

    fn request(&self) -> ClaimRequest {
        let worker = WorkerId::new(&self.name).expect("valid");
        let limit = 1 + self.below(8) as usize;
        ClaimRequest::new(self.stage.queue.clone(), worker, limit, LEASE, &self.rng)
    }

    async fn handle(&self, job: &ClaimedJob) {
        let token = job.token;
        if self.below(4) == 0 {
            let beat = Event::Extend { token, by: LEASE, progress: None };
            drop(expected(self.store.settle(&job.record.meta, beat, &self.policy).await));
        }
        let event = match self.below(8) {
            0 => Event::release(token),
            1 => Event::Fail {
                token,
                failure: Failure::new("Injected", "part of the load"),
                cause: Cause::Retryable,
                delay: None,
                retention: None,
                then: Vec::new(),
            },
            _ => complete(token, job),
        };
        self.insist(|| self.store.settle(&job.record.meta, event.clone(), &self.policy)).await;
    }

    async fn pause_and_resume(self) {
        let kind = Kind::from_static(KINDS[1]);
        while self.goes_on() {
            for pause in [Pause::UntilResumed, Pause::Off] {
                self.insist(|| self.store.set_paused(&self.stage.queue, Some(&kind), pause)).await;
                sleep(10 * PAUSE).await;
            }
        }
    }

    async fn meddle(self) {
        while self.goes_on() {
            drop(expected(self.store.rescue(&self.stage.queue, BATCH, &self.policy).await));
            let id = JobId::new(format!("shared-{}", self.below(SHARED_IDS))).expect("valid");
            let event = match self.below(3) {
                0 => Event::Cancel { processing: OnProcessing::Request },
                1 => Event::Redrive { content_type: None },
                _ => Event::Delete,
            };
            let changed = self.store.change(&self.stage.queue, &id, event, &self.policy).await;
            drop::<Option<Changed>>(expected(changed));
            sleep(PAUSE).await;
        }
    }

    /// Works off all jobs, and returns how many are Completed.
    async fn drain(&self) -> u64 {
        let (queue, end) = (&self.stage.queue, Instant::now() + DRAIN_MAX);
        self.insist(|| self.store.counts(queue)).await.expect("the server serves again");
        loop {
            self.store.rescue(queue, BATCH, &self.policy).await.expect("all is well");
            let request = ClaimRequest { limit: BATCH, ..self.request() };
            for job in self.store.claim(request).await.expect("all is well").jobs {
                let event = complete(job.token, &job);
                self.store.settle(&job.record.meta, event, &self.policy).await.expect("all is well");
            }
            let counts = self.store.counts(queue).await.expect("all is well");
            if counts.unfinished() == 0 {
                self.read_everything().await.expect("all is well");
                return counts.of(queue_core::State::Completed);
            }
            assert!(Instant::now() < end, "jobs are stuck: {counts:?}");
            sleep(PAUSE).await;
        }
    }

    async fn read_everything(&self) -> Result<()> {
        let queue = &self.stage.queue;
        let overdue = PruneRequest { queue: queue.clone(), what: Prune::Expired, limit: 100_000 };
        self.store.prune(overdue).await?;
        self.stage.recorder.mark(HistoryEvent {
            op: Op::Drain,
            queue: queue.as_str().to_owned(),
            ..HistoryEvent::default()
        });
        let history = self.stage.recorder.history();
        let enqueues = history.events().iter().filter(|event| event.op == Op::Enqueue);
        let ids: BTreeSet<&String> = enqueues.filter_map(|event| event.id.as_ref()).collect();
        let ids: Vec<JobId> = ids.into_iter().map(|id| JobId::new(id).expect("it was one")).collect();
        for ids in ids.chunks(BATCH) {
            self.store.get(queue, ids, Detail::Full).await?;
        }
        let mut query = ListQuery::all(queue.clone(), BATCH);
        while let Some(next) = self.store.list(query.clone()).await?.next {
            query.after = Some(next);
        }
        self.store.counts(queue).await?;
        self.store.verify().await.map(drop)
    }
}

fn complete(token: queue_core::LeaseToken, job: &ClaimedJob) -> Event {
    let result = payload(format!("{} {}", job.record.meta.seq, job.record.meta.epoch));
    Event::Complete { token, result, retention: None, then: Vec::new() }
}

fn payload(text: String) -> Payload {
    Payload::new(text, ContentType::from_static("text/plain"))
}

/// The answer, if there is one. Faults and races are part of the load; any other error is a bug of
/// the store.
fn expected<T>(outcome: Result<T>) -> Option<T> {
    match outcome {
        Ok(answer) => Some(answer),
        Err(error) if Error::is_transient(&error) => None,
        Err(error) => panic!("the store failed: {error} {:?}", std::error::Error::source(&error)),
    }
}
