//! Work that goes on while pages are looked at: jobs are enqueued, claimed and completed in
//! batches, at a steady rate.

use queue::{
    Storage, SystemRng, WorkerId,
    queue_core::{
        ClaimRequest, ContentType, JobId, Kind, NewJob, Payload, QueueName, Span,
        lifecycle::{Event, Policy, decide},
    },
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::time::{MissedTickBehavior, interval};

pub(crate) const QUEUE: &str = "load";
/// How many callers there are at a time.
const CALLERS: usize = 4;
/// Jobs of a round of a caller.
const BATCH: u64 = 50;
const LEASE: Span = Span::from_secs(60);

#[derive(Debug, Default)]
pub(crate) struct Done(AtomicU64);

impl Done {
    pub(crate) fn jobs(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Works until it is dropped, at this many jobs a second if the store can.
pub(crate) async fn run(storage: Arc<dyn Storage>, rate: u64, done: Arc<Done>) -> anyhow::Result<()> {
    let callers = (0..CALLERS).map(|number| caller(storage.clone(), number, rate, done.clone()));
    futures_util::future::try_join_all(callers).await?;
    Ok(())
}

async fn caller(storage: Arc<dyn Storage>, number: usize, rate: u64, done: Arc<Done>) -> anyhow::Result<()> {
    let (queue, worker) = (QueueName::from_static(QUEUE), WorkerId::new(format!("w{number}"))?);
    let rounds = (rate / CALLERS as u64 / BATCH).max(1);
    let mut pace = interval(Duration::from_secs(1) / u32::try_from(rounds)?);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for round in 0_u64.. {
        pace.tick().await;
        let jobs = (0..BATCH).map(|job| new_job(&format!("{number}-{round}-{job}")));
        storage.enqueue(&queue, jobs.map(|job| job.map(|job| vec![job])).collect::<Result<_, _>>()?).await?;
        let request = ClaimRequest::new(queue.clone(), worker.clone(), BATCH as usize, LEASE, &SystemRng);
        let claimed = storage.claim(request).await?;
        let mut batch = Vec::with_capacity(claimed.jobs.len());
        for job in &claimed.jobs {
            let result = Payload::new("1", ContentType::from_static("application/json"));
            let event = Event::Complete { token: job.token, result, retention: None, then: Vec::new() };
            let decided = decide(&job.record.meta, event, &Policy::default());
            batch.push(decided.map_err(|rejected| anyhow::anyhow!("rejected: {rejected:?}"))?);
        }
        let settled = batch.len();
        if settled > 0 {
            storage.apply(batch).await?;
        }
        done.0.fetch_add(settled as u64, Ordering::Relaxed);
    }
    Ok(())
}

fn new_job(id: &str) -> anyhow::Result<NewJob> {
    let payload = Payload::new("1", ContentType::from_static("application/json"));
    Ok(NewJob::new(JobId::new(id)?, Kind::new("k")?, payload))
}
