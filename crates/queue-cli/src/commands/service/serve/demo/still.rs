//! The demonstration at one moment that does not pass: the same jobs, workers and times at each
//! start, so that pictures of its pages can be compared.

use super::{Traffic, handlers, history, pause_one, schedules};
use crate::exit::CliError;
use queue::{
    MemoryStorage, Storage,
    operations::OPERATIONS_QUEUE,
    queue_core::{
        ClaimRequest, ClaimedJob, Clock, ContentType, Failure, ManualClock, Payload, QueueName, Rng,
        SeededRng, Span, StorageExt, Timestamp, WorkerId, WorkerInfo,
        lifecycle::{Cause, Event, Policy},
    },
};
use serde_json::json;
use std::{sync::Arc, time::Duration};

/// A Monday at noon.
const BEGIN: Timestamp = Timestamp::from_millis(1_781_524_800_000);
const SEED: u64 = 7;
/// How often something is enqueued and worked on, and how long lies between.
const STEPS: u32 = 160;
const STEP: Duration = Duration::from_secs(7);
/// The workers, each with its host, its queues and its slots.
const WORKERS: [(&str, &str, &[&str], u32); 2] = [
    ("media-1", "media-1.example.org, process 977", &["billing", "images"], 8),
    ("web-1", "web-1.example.org, process 4211", &["emails", "webhooks"], 12),
];
/// Workers are present and leases hold for this long, in a time that stands still.
const LONG: Duration = Duration::from_hours(1);
const LOOK_EVERY: Duration = Duration::from_millis(20);
const LEASE: Span = Span::from_secs(3_600);

/// The time of such a store. It passes only while an operation waits for it between two pages of
/// jobs, a millisecond at once.
#[derive(Debug)]
pub(super) struct StillTime(Arc<ManualClock>);

impl StillTime {
    pub(super) async fn run(&self, storage: &dyn Storage) {
        let operations = QueueName::from_static(OPERATIONS_QUEUE);
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            if storage.counts(&operations).await.is_ok_and(|counts| counts.scheduled > 0) {
                self.0.advance(Duration::from_millis(1));
            }
        }
    }
}

/// A store that has been worked on, whose time stands still.
pub(super) async fn make() -> Result<(Arc<dyn Storage>, StillTime), CliError> {
    let clock = Arc::new(ManualClock::new(BEGIN));
    let storage: Arc<dyn Storage> = Arc::new(MemoryStorage::with_clock(clock.clone()));
    let rng: Arc<dyn Rng> = Arc::new(SeededRng::new(SEED));
    let traffic = Traffic::new(&storage, rng.clone())?;
    traffic.backlog().await?;
    pause_one(&*storage).await?;
    for _ in 0..STEPS {
        traffic.one().await;
        let took = Duration::from_millis(40 + rng.next_u64() % 900);
        let held = claim_all(&*storage, &*rng).await?;
        clock.advance(took);
        for (_, job) in held {
            settle(&*storage, job, &*rng).await?;
        }
        clock.advance(STEP.saturating_sub(took));
    }
    for _ in 0..8 {
        traffic.one().await;
    }
    let held = claim_all(&*storage, &*rng).await?;
    clock.advance(Duration::from_millis(3_400));
    history::write(&*storage, &*rng).await?;
    schedules(&storage).await?;
    for worker in WORKERS {
        announce(&*storage, worker, &held, clock.now()).await?;
    }
    Ok((storage, StillTime(clock)))
}

/// A few jobs of each queue, for the worker that is named.
async fn claim_all(
    storage: &dyn Storage,
    rng: &dyn Rng,
) -> Result<Vec<(&'static str, ClaimedJob)>, CliError> {
    let mut held = Vec::new();
    for (worker, _, queues, _) in WORKERS {
        for queue in queues {
            let queue = QueueName::new(*queue)?;
            let id = WorkerId::new(worker)?;
            let claimed = storage.claim(ClaimRequest::new(queue, id, 2, LEASE, rng)).await?;
            held.extend(claimed.jobs.into_iter().map(|job| (worker, job)));
        }
    }
    Ok(held)
}

async fn settle(storage: &dyn Storage, job: ClaimedJob, rng: &dyn Rng) -> Result<(), CliError> {
    let ClaimedJob { record, token } = job;
    let body = record.body.as_ref().map_or(&b""[..], |body| &body.payload.bytes);
    let is_doomed = body.windows(8).any(|part| part == b"\"doomed\"");
    let event = if is_doomed || rng.next_u64().is_multiple_of(9) {
        let failed = handlers::failure(record.meta.kind.as_str(), rng.next_u64() % 10_000);
        let cause = if failed.is_terminal { Cause::Terminal } else { Cause::Retryable };
        let failure = Failure::new(failed.name, &failed.message);
        Event::Fail { token, failure, cause, delay: None, retention: None, then: Vec::new() }
    } else {
        let result = Payload::new(json!({"ok": true}).to_string(), ContentType::new("application/json")?);
        Event::Complete { token, result, retention: None, then: Vec::new() }
    };
    storage.settle(&record.meta, event, &Policy::default()).await?;
    Ok(())
}

async fn announce(
    storage: &dyn Storage,
    (name, host, queues, slots): (&str, &str, &[&str], u32),
    held: &[(&str, ClaimedJob)],
    now: Timestamp,
) -> Result<(), CliError> {
    let jobs: Vec<_> =
        held.iter().filter(|(worker, _)| *worker == name).map(|(_, job)| &job.record.meta).collect();
    let mut worker = WorkerInfo::new(WorkerId::new(name)?);
    worker.queues = queues.iter().map(QueueName::new).collect::<Result<_, _>>()?;
    worker.concurrency = slots;
    worker.held = u32::try_from(jobs.len()).unwrap_or(u32::MAX);
    host.clone_into(&mut worker.host);
    let since = |at: Option<Timestamp>| at.unwrap_or(now).as_millis();
    let told: Vec<_> = jobs
        .iter()
        .map(|job| {
            json!({"queue": job.queue.as_str(), "id": job.id.as_str(), "seq": job.seq.get(),
                "attempt": job.epoch, "since": since(job.claimed_at)})
        })
        .collect();
    let about = json!({"version": env!("CARGO_PKG_VERSION"), "started_at": BEGIN.as_millis(), "jobs": told});
    worker.about = about.to_string().into();
    storage.announce(worker, LONG).await?;
    Ok(())
}
