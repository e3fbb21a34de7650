//! One rule for every way to the ticks of a schedule: each way that makes a schedule enqueue what
//! is due enqueues the same ticks, each once, and the job of the tick before is treated alike.

use crate::{server, storage::queue_name};
use queue::{
    JobId, Kind, Queue, Raw, State, Storage, StorageExt, SystemRng, Timestamp, WorkerId,
    queue_core::{
        Budget, ClaimRequest, ContentType, Detail, ListQuery, NewJob, Payload, Span, UnreadableWaits,
    },
    schedules::{Missed, Overlap, Schedule, ScheduleSpec, Timing},
    worker::{ReservedJob, handle_reserved},
};
use std::{collections::BTreeSet, sync::Arc};

/// Days of 2026, all of them past, and the last moment far ahead.
const DAY_MS: i64 = 24 * 3600 * 1000;
const BEFORE: Timestamp = Timestamp::from_millis(1_767_225_600_000);
const AHEAD: Timestamp = Timestamp::from_millis(4_102_444_800_000);
const LEASE: Span = Span::from_secs(3600);
/// More jobs and more wake-ups than any case has.
const JOBS_MAX: usize = 100;
const WAKES_MAX: usize = 10;

const MISSED: [Missed; 3] = [Missed::All { max: 10 }, Missed::Latest, Missed::Skip { grace: None }];
const OVERLAPS: [Overlap; 3] = [Overlap::Allow, Overlap::Skip, Overlap::CancelPrevious];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Previous {
    Waits,
    Runs,
    HasEnded,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Wake,
    Put,
    Declare,
    TwoVersionsAlternate,
    Resume,
    EditWhilePaused,
    RunNowFirst,
}

const WAYS: [Way; 7] = [
    Way::Wake,
    Way::Put,
    Way::Declare,
    Way::TwoVersionsAlternate,
    Way::Resume,
    Way::EditWhilePaused,
    Way::RunNowFirst,
];

#[tokio::test]
async fn on_memory() {
    every_way_enqueues_the_same(queue::open("memory:").await.expect("it opens")).await;
}

#[tokio::test]
async fn on_sqlite() {
    let place = tempfile::tempdir().expect("a directory");
    let url = format!("sqlite:{}", place.path().join("jobs.db").display());
    every_way_enqueues_the_same(queue::open(&url).await.expect("it opens")).await;
}

#[tokio::test]
async fn on_files() {
    let place = tempfile::tempdir().expect("a directory");
    let url = format!("file:{}", place.path().join("jobs").display());
    every_way_enqueues_the_same(queue::open(&url).await.expect("it opens")).await;
}

#[tokio::test]
async fn on_redis() {
    if let Some(url) = server::url("redis", "QUEUE_TEST_REDIS_URL") {
        every_way_enqueues_the_same(queue::open(&url).await.expect("the server answers")).await;
    }
}

#[tokio::test]
async fn on_postgres() {
    if let Some(url) = server::url("postgres", "QUEUE_TEST_POSTGRES_URL") {
        every_way_enqueues_the_same(queue::open(&url).await.expect("the server answers")).await;
    }
}

async fn every_way_enqueues_the_same(store: Arc<dyn Storage>) {
    // Servers outlive a run, so the names of its queues are its own.
    let run = tempfile::tempdir().expect("a directory");
    let mut numbers = 0..;
    let mut wrong = Vec::new();
    for missed in MISSED {
        for overlap in OVERLAPS {
            for previous in [Previous::Waits, Previous::Runs, Previous::HasEnded] {
                for way in WAYS {
                    let name = format!("{}-{}", queue_name(run.path()), numbers.next().expect("no end"));
                    let queue = Queue::new(store.clone(), name).expect("a valid name");
                    let case = Case::begin(queue, missed, overlap, previous).await;
                    case.go(way).await;
                    let (seen, expected) = (case.seen().await, case.expected());
                    if seen != expected {
                        wrong.push(format!(
                            "{missed:?} {overlap:?} {previous:?} {way:?}: {seen:?}, not {expected:?}"
                        ));
                    }
                }
            }
        }
    }
    store.close().await.expect("closed");
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
}

/// A schedule of single moments that owes three of them. The one before has run or does so still.
struct Case {
    queue: Queue<Raw, Raw>,
    spec: ScheduleSpec,
    previous: Previous,
}

fn day(day: i64) -> Timestamp {
    Timestamp::from_millis(BEFORE.as_millis() + day * DAY_MS)
}

/// Two versions of one schedule, which differ in their payload.
fn version(payload: &'static str, missed: Missed, overlap: Overlap) -> Schedule<Raw> {
    let timing = Timing::at((0..=3).map(day).chain([AHEAD])).expect("moments");
    let json = ContentType::from_static("application/json");
    Schedule::new("s", timing, Raw(Payload::new(payload, json))).missed(missed).overlap(overlap)
}

impl Case {
    async fn begin(queue: Queue<Raw, Raw>, missed: Missed, overlap: Overlap, previous: Previous) -> Self {
        let schedules = queue.schedules();
        schedules.put(&version("1", missed, overlap)).await.expect("put");
        let mut spec = schedules.get("s").await.expect("read").expect("there").spec().clone();
        (spec.since, spec.ran) = (day(0), Some(day(0)));
        let case = Self { queue, spec, previous };
        case.enqueue(case.spec.tick_job(day(0)).expect("a valid job")).await;
        match previous {
            Previous::Waits => {}
            Previous::Runs => drop(case.claim().await.expect("the job of the tick before")),
            Previous::HasEnded => {
                let ended = case.queue.cancel(case.id(0)).await.expect("cancelled");
                assert_eq!(ended, queue::Change::Done);
            }
        }
        // In place of the one that began now.
        let _ = schedules.remove("s").await.expect("removed");
        case.enqueue(case.schedule()).await;
        case
    }

    /// The job that the schedule is, due at once.
    fn schedule(&self) -> NewJob {
        let json = ContentType::from_static("application/json");
        let id = ScheduleSpec::id_of("s").expect("a valid name");
        let payload = Payload::new(self.spec.to_bytes(), json);
        NewJob::new(id, Kind::from_static("queue.schedule"), payload)
            .with_priority(i16::MIN)
            .with_max_attempts(Budget::Unlimited)
            .with_max_stalls(Budget::Unlimited)
    }

    async fn go(&self, way: Way) {
        let (missed, overlap) = (self.spec.missed, self.spec.overlap);
        let new = version("2", missed, overlap);
        let schedules = self.queue.schedules();
        match way {
            Way::Wake => {}
            Way::Put => drop(schedules.put(&new).await.expect("put")),
            Way::Declare => drop(schedules.declare([new]).await.expect("declared")),
            Way::TwoVersionsAlternate => {
                for payload in ["2", "1", "2"] {
                    schedules.put(&version(payload, missed, overlap)).await.expect("put");
                }
            }
            Way::Resume | Way::EditWhilePaused => {
                let _ = schedules.pause("s").await.expect("paused");
                if way == Way::EditWhilePaused {
                    schedules.put(&new).await.expect("put");
                }
                let _ = schedules.resume("s").await.expect("resumed");
            }
            Way::RunNowFirst => {
                let id = schedules.run_now("s").await.expect("run").expect("there");
                let _ = self.queue.delete(id).await.expect("it is beside the ticks");
            }
        }
        self.wake().await;
    }

    /// Wakes the schedule until it sleeps, so that what an edit left or did twice is seen.
    async fn wake(&self) {
        for _ in 0..WAKES_MAX {
            let id = ScheduleSpec::id_of("s").expect("a valid name");
            let due = ListQuery::new(self.queue.name().clone(), queue::queue_core::Walk::Due, JOBS_MAX);
            let due = self.queue.storage().list(due).await.expect("listed").jobs;
            if !due.iter().any(|meta| meta.id == id) {
                return;
            }
            let claimed = self.claim().await.expect("the schedule goes first");
            assert_eq!(claimed.record.meta.id, id);
            let payload = &claimed.record.body.as_ref().expect("claimed with its body").payload;
            let (meta, unreadable) = (&claimed.record.meta, &UnreadableWaits::default());
            let job = ReservedJob { meta, payload, token: claimed.token, unreadable };
            let handled = handle_reserved(&**self.queue.storage(), job).await.expect("handled");
            let policy = queue::Policy::default();
            let settled = self.queue.storage().settle(&claimed.record.meta, handled.event, &policy).await;
            settled.expect("settled");
        }
        panic!("the schedule never sleeps");
    }

    async fn claim(&self) -> Option<queue::queue_core::ClaimedJob> {
        let worker = WorkerId::from_static("w");
        let request = ClaimRequest::new(self.queue.name().clone(), worker, 1, LEASE, &SystemRng);
        self.queue.storage().claim(request).await.expect("claimed").jobs.pop()
    }

    async fn enqueue(&self, job: NewJob) {
        self.queue.storage().enqueue(self.queue.name(), vec![vec![job]]).await.expect("enqueued");
    }

    fn id(&self, day_of: i64) -> JobId {
        self.spec.tick_id(day(day_of)).expect("a valid id")
    }

    /// The days whose ticks were enqueued, and whether the job before was asked to stop.
    async fn seen(&self) -> (BTreeSet<i64>, bool) {
        let all = ListQuery::all(self.queue.name().clone(), JOBS_MAX);
        let jobs = self.queue.storage().list(all).await.expect("listed").jobs;
        let mut days = BTreeSet::new();
        for meta in jobs.iter().filter(|meta| meta.kind.as_str() == "default") {
            let day = (0..=3).find(|day| self.id(*day) == meta.id).unwrap_or(i64::MAX);
            days.extend((day > 0 && meta.state != State::Cancelled).then_some(day));
        }
        let before = self.queue.storage().get_one(self.queue.name(), &self.id(0), Detail::Meta).await;
        let before = before.expect("read").expect("it is kept").meta;
        let is_stopped = before.cancel_requested || before.state == State::Cancelled;
        (days, is_stopped && self.previous != Previous::HasEnded)
    }

    fn expected(&self) -> (BTreeSet<i64>, bool) {
        let run = match self.spec.missed {
            Missed::All { .. } => vec![1, 2, 3],
            Missed::Latest => vec![3],
            _ => vec![],
        };
        let goes_on = self.previous != Previous::HasEnded;
        let (days, is_stopped) = match self.spec.overlap {
            Overlap::Skip if goes_on => (vec![], false),
            Overlap::Skip => (run.into_iter().take(1).collect(), false),
            Overlap::CancelPrevious => {
                let last: Vec<i64> = run.last().copied().into_iter().collect();
                (last, goes_on && !run.is_empty())
            }
            _ => (run, false),
        };
        (days.into_iter().collect(), is_stopped)
    }
}
