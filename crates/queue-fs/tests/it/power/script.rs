//! A random script of calls, and the expected state after each of them.

use queue_core::{
    Applied, ClaimRequest, ClaimedJob, ContentType, Counts, Detail, Failure, JobId, JobRecord, Kind,
    ListQuery, ManualClock, NewJob, OnWaiting, Payload, Prune, PruneRequest, QueueName, Retention, Rng,
    SeededRng, Span, Storage, Timestamp, WorkerId, WorkerInfo,
    lifecycle::{Cause, Event, Policy, Transition, decide},
};
use queue_memory::MemoryStorage;
use std::{sync::Arc, time::Duration};

/// One call.
#[derive(Clone, Debug)]
pub(crate) enum Call {
    Enqueue(QueueName, Vec<Vec<NewJob>>),
    Claim(ClaimRequest),
    Apply(Vec<Transition>),
    Prune(PruneRequest),
    Pause(QueueName, bool),
    Announce(WorkerInfo),
    Drain(WorkerId),
}

/// Everything that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct View {
    records: Vec<Option<JobRecord>>,
    counts: Vec<Counts>,
    is_paused: Vec<bool>,
    workers: Vec<WorkerInfo>,
}

/// The calls, and the views before the first and after each.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) calls: Vec<Call>,
    pub(crate) views: Vec<View>,
    pub(crate) clock: Arc<ManualClock>,
}

/// There are two queues, so that changes of several are in one journal.
const QUEUES: [&str; 2] = ["q", "other"];
const PAGE: usize = 1_000;

impl Script {
    /// The script of a seed.
    pub(crate) async fn new(seed: u64, len: usize) -> Self {
        let clock = Arc::new(ManualClock::default());
        let mut author = Author {
            store: MemoryStorage::with_clock(clock.clone()),
            rng: SeededRng::new(seed),
            held: Vec::new(),
            ids: 0,
        };
        let (mut calls, mut views) = (Vec::new(), vec![view(&author.store).await]);
        while calls.len() < len {
            calls.push(author.next().await);
            views.push(view(&author.store).await);
        }
        Self { calls, views, clock }
    }
}

/// Reads everything.
pub(crate) async fn view(store: &dyn Storage) -> View {
    let workers = store.workers().await.expect("it reads");
    let mut view = View { records: vec![], counts: vec![], is_paused: vec![], workers };
    for queue in QUEUES.map(QueueName::from_static) {
        let page = store.list(ListQuery::all(queue.clone(), PAGE)).await.expect("it reads");
        let ids: Vec<JobId> = page.jobs.into_iter().map(|meta| meta.id).collect();
        view.records.extend(store.get(&queue, &ids, Detail::Full).await.expect("it reads").value);
        let mut counts = store.counts(&queue).await.expect("it reads");
        counts.now = Timestamp::default();
        view.counts.push(counts);
        let ask = ClaimRequest { limit: 0, ..request(&queue, &SeededRng::new(0)) };
        view.is_paused.push(store.claim(ask).await.expect("it reads").pause.is_on());
    }
    view
}

/// Makes a call; returns whether it was acknowledged, or its error.
pub(crate) async fn make(store: &dyn Storage, call: &Call) -> Result<(), queue_core::Error> {
    match call.clone() {
        Call::Enqueue(queue, groups) => store.enqueue(&queue, groups).await.map(drop),
        Call::Claim(request) => store.claim(request).await.map(drop),
        Call::Apply(batch) => store.apply(batch).await.map(drop),
        Call::Prune(request) => store.prune(request).await.map(drop),
        Call::Pause(queue, paused) => {
            let pause = if paused { queue_core::Pause::UntilResumed } else { queue_core::Pause::Off };
            store.set_paused(&queue, None, pause).await
        }
        Call::Announce(worker) => store.announce(worker, Duration::from_secs(60)).await.map(drop),
        Call::Drain(worker) => store.set_duty(&worker, queue_core::Duty::Drain).await.map(drop),
    }
}

fn request(queue: &QueueName, rng: &SeededRng) -> ClaimRequest {
    let worker = WorkerId::from_static("worker");
    ClaimRequest::new(queue.clone(), worker, 3, Span::from_secs(30), rng)
}

/// Draws calls that make sense in the present state.
struct Author {
    store: MemoryStorage,
    rng: SeededRng,
    held: Vec<ClaimedJob>,
    ids: u64,
}

impl Author {
    async fn next(&mut self) -> Call {
        let call = match self.below(20) {
            0..=4 => Call::Claim(request(&self.queue(), &self.rng)),
            5..=9 if !self.held.is_empty() => self.settle(),
            10 | 13 => Call::Prune(PruneRequest { queue: self.queue(), what: self.what(), limit: 6 }),
            11 => Call::Pause(self.queue(), self.below(3) == 0),
            12 if self.below(4) == 0 => Call::Drain(self.worker().id),
            12 => Call::Announce(self.worker()),
            _ => self.enqueue(),
        };
        if let Call::Claim(request) = &call {
            self.held.extend(self.store.claim(request.clone()).await.expect("memory does not fail").jobs);
        } else if let Call::Apply(batch) = &call {
            let applied = self.store.apply(batch.clone()).await.expect("memory does not fail").value;
            assert!(applied.iter().all(|applied| matches!(applied, Applied::Done(_) | Applied::Missing)));
        } else {
            make(&self.store, &call).await.expect("memory does not fail");
        }
        call
    }

    fn enqueue(&mut self) -> Call {
        let groups = 1 + self.below(2);
        Call::Enqueue(self.queue(), (0..groups).map(|_| self.group()).collect())
    }

    fn group(&mut self) -> Vec<NewJob> {
        (0..=self.below(3)).map(|_| self.job()).collect()
    }

    fn job(&mut self) -> NewJob {
        self.ids += 1;
        // One id in five may exist already.
        let number = if self.below(5) == 0 { self.below(self.ids) } else { self.ids };
        let id = JobId::new(format!("job-{number}")).expect("a valid id");
        let payload = self.payload();
        let retention = [Retention::Remove, Retention::Remove, Retention::default()][self.below(3) as usize];
        let job = NewJob::new(id, Kind::from_static("kind"), payload).with_retention(retention);
        match self.below(4) {
            0 => job.with_on_failure(Kind::from_static("alert")),
            1 => job.with_on_waiting(OnWaiting::Replace { max_wait: None }),
            _ => job,
        }
    }

    /// From empty to several sectors.
    fn payload(&mut self) -> Payload {
        let len = [0, 10, 300, 1_500][self.below(4) as usize];
        let bytes: Vec<u8> = (0..len).map(|_| self.rng.next_u64().to_le_bytes()[0]).collect();
        Payload::new(bytes, ContentType::from_static("x/y"))
    }

    fn settle(&mut self) -> Call {
        let count = 1 + self.below(self.held.len().min(3) as u64);
        let held: Vec<_> = self.held.drain(..count as usize).collect();
        Call::Apply(held.iter().map(|job| self.transition(job)).collect())
    }

    fn transition(&mut self, job: &ClaimedJob) -> Transition {
        let token = job.token;
        let then = if self.below(6) == 0 { vec![self.job()] } else { vec![] };
        let event = match self.below(9) {
            0 => Event::Release { token, then },
            1 => Event::Interrupt { token, progress: Some("interrupted".into()), then },
            2 => Event::Snooze { token, delay: Span::ZERO, progress: Some("half".into()), then },
            n @ (3 | 4) => {
                let failure = Failure::new("Io", "broken").with_details("why".into());
                let cause = if n == 3 { Cause::Retryable } else { Cause::Terminal };
                Event::Fail { token, failure, cause, delay: Some(Span::ZERO), retention: None, then }
            }
            _ => Event::Complete { token, result: self.payload(), retention: None, then },
        };
        decide(&job.record.meta, event, &Policy::default()).expect("the job is held")
    }

    fn worker(&mut self) -> WorkerInfo {
        let id = WorkerId::new(format!("worker-{}", self.below(3))).expect("a valid id");
        let (queues, mut about) = (vec![self.queue()], self.payload().bytes);
        // Otherwise announcements of workers would be most of the journal.
        about.truncate(16);
        WorkerInfo { queues, concurrency: 4, held: 1, host: "host".to_owned(), about, ..WorkerInfo::new(id) }
    }

    fn what(&mut self) -> Prune {
        [Prune::Expired, Prune::FinishedBefore(Span::ZERO), Prune::Everything][self.below(3) as usize]
    }

    fn queue(&mut self) -> QueueName {
        QueueName::from_static(QUEUES[usize::from(self.below(4) == 0)])
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.rng.next_u64() % bound
    }
}
