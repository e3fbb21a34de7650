//! What each of the processes does until it is killed, and what is done when all are gone.

use crate::queue;
use queue_core::{
    ClaimRequest, ClaimedJob, ContentType, Detail, Failure, IdSource, JobId, Kind, ListQuery, NewJob,
    OnWaiting, Payload, Prune, PruneRequest, Retention, RetryPolicy, Rng, Span, Storage, StorageExt,
    SystemRng, TimeOrderedIds, WorkerId,
    lifecycle::{Cause, Event, Policy},
};
use queue_fs::{FsOptions, FsStorage};
use queue_testkit::history::{Event as Line, Op, Recorded, Recorder, Tape, Taped};
use std::{collections::BTreeSet, path::Path, sync::Arc, time::Duration};

pub(crate) const QUEUE: &str = "q";

type Store = Recorded<Taped<FsStorage>>;

const TASKS: u64 = 2;
/// Ids that everybody uses; others are used once.
const SHARED_IDS: u64 = 10;
/// Short, so that leases of the dead lapse while others look.
const LEASE: Span = Span::from_millis(40);
const BATCH: usize = 100;

/// Segments so short that the journal goes round.
pub(crate) fn options(path: &Path) -> FsOptions {
    FsOptions::new(path).segment_bytes(16 << 10).reserve_bytes(32 << 10).memory_budget_bytes(1_000)
}

/// A process that works for ever.
pub(crate) async fn run(jobs: &Path, tape: &Path) {
    let tape = Tape::create(tape).expect("there is room for a recording");
    let store = FsStorage::open(options(jobs)).await.expect("the store opens");
    let store = Arc::new(tape.wrap(Arc::new(store)));
    let tasks = (0..TASKS).map(|_| work(Recorded::new(store.clone(), tape.recorder().clone()), tape.clone()));
    futures_util::future::join_all(tasks).await;
}

async fn work(store: Store, tape: Tape) {
    let ids = TimeOrderedIds::default();
    let worker = WorkerId::new(ids.next_id().as_str()).expect("an id is a name");
    let mut held: Vec<ClaimedJob> = Vec::new();
    loop {
        match below(10) {
            0..=2 => enqueue(&store, &ids).await,
            3..=5 => held.extend(claim(&store, &worker).await),
            6 => drop(store.rescue(&queue(), BATCH, &policy()).await.expect("it rescues")),
            7 if below(4) == 0 => prune(&store).await,
            _ if held.is_empty() => held.extend(claim(&store, &worker).await),
            _ => {
                let at = usize::try_from(below(held.len() as u64)).expect("few");
                settle(&store, held.swap_remove(at)).await;
            }
        }
        // What was acknowledged last is what a kill would take first.
        tape.save();
    }
}

async fn enqueue(store: &Store, ids: &TimeOrderedIds) {
    let job = || {
        let shared = || JobId::new(format!("shared-{}", below(SHARED_IDS))).expect("a valid id");
        let id = if below(3) == 0 { shared() } else { ids.next_id() };
        let payload =
            Payload::new(vec![7; [0, 20, 2_000][below(3) as usize]], ContentType::from_static("x/y"));
        let retention = [Retention::Remove, Retention::Keep(Span::from_millis(200)), Retention::Forever];
        let job =
            NewJob::new(id, Kind::from_static("kind"), payload).with_retention(retention[below(3) as usize]);
        match below(4) {
            0 => job.with_on_failure(Kind::from_static("mourn")),
            1 => job.with_on_waiting(OnWaiting::Replace { max_wait: None }),
            _ => job,
        }
    };
    let group = (0..=below(3)).map(|_| job()).collect();
    store.enqueue(&queue(), vec![group]).await.expect("it enqueues");
}

async fn claim(store: &impl Storage, worker: &WorkerId) -> Vec<ClaimedJob> {
    let request = ClaimRequest::new(queue(), worker.clone(), 2, LEASE, &SystemRng);
    store.claim(request).await.expect("it claims").jobs
}

async fn settle(store: &Store, job: ClaimedJob) {
    let token = job.token;
    let event = match below(8) {
        0 => Event::release(token),
        6 => Event::Snooze {
            token,
            delay: Span::from_millis(5),
            progress: Some("half".into()),
            then: Vec::new(),
        },
        7 => {
            let (failure, cause) = (Failure::new("Io", "gone"), Cause::Terminal);
            Event::Fail { token, failure, cause, delay: None, retention: None, then: Vec::new() }
        }
        1 => Event::Extend { token, by: LEASE, progress: None },
        2 => {
            let failure = Failure::new("Io", "broken");
            Event::Fail {
                token,
                failure,
                cause: Cause::Retryable,
                delay: None,
                retention: None,
                then: Vec::new(),
            }
        }
        _ => complete(&job),
    };
    store.settle(&job.record.meta, event, &policy()).await.expect("it settles");
}

fn complete(job: &ClaimedJob) -> Event {
    let result = Payload::new(job.record.meta.seq.to_string(), ContentType::from_static("x/y"));
    Event::Complete { token: job.token, result, retention: None, then: Vec::new() }
}

async fn prune(store: &impl Storage) {
    let request = PruneRequest { queue: queue(), what: Prune::Expired, limit: BATCH };
    store.prune(request).await.expect("it prunes");
}

/// Works off what all of them left, and reads every record.
pub(crate) async fn drain(store: &Recorded<FsStorage>, recorder: &Recorder, ids: &BTreeSet<String>) {
    let worker = WorkerId::from_static("the-end");
    while store.counts(&queue()).await.expect("it counts").unfinished() > 0 {
        store.rescue(&queue(), BATCH, &policy()).await.expect("it rescues");
        for job in claim(store, &worker).await {
            store.settle(&job.record.meta, complete(&job), &policy()).await.expect("it settles");
        }
        // Leases of the dead lapse by the real clock.
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    prune(store).await;
    recorder.mark(Line { op: Op::Drain, queue: QUEUE.to_owned(), ..Line::default() });
    let ids: Vec<JobId> = ids.iter().map(|id| JobId::new(id).expect("it was one")).collect();
    for some in ids.chunks(BATCH) {
        store.get(&queue(), some, Detail::Full).await.expect("it reads");
    }
    let mut query = ListQuery::all(queue(), BATCH);
    while let Some(next) = store.list(query.clone()).await.expect("it lists").next {
        query.after = Some(next);
    }
    store.counts(&queue()).await.expect("it counts");
    assert_eq!(store.verify().await.expect("it verifies"), Vec::<String>::new());
}

/// Waits are short, so that a run of few steps sees retries.
fn policy() -> Policy {
    let wait = RetryPolicy::Fixed(Duration::from_millis(5));
    Policy::default().retry(wait.clone()).stall(wait)
}

fn below(bound: u64) -> u64 {
    SystemRng.next_u64() % bound
}
