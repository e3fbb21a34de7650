//! The same loads on the store in this process.

use crate::{
    figures::{Figures, Seen, cpu_of, now},
    load::Load,
    over_http::queue_name,
    store::ServedStore,
};
use queue::{
    ContentType, IdSource, Kind, Payload, QueueName, Storage, SystemRng, TimeOrderedIds, WorkerId,
    queue_core::{
        ClaimRequest, NewJob, Span,
        lifecycle::{Event, Policy, decide},
    },
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::task::JoinSet;

const PRELOAD: usize = 1_000;

pub(crate) async fn measure(store: ServedStore, load: Load, lasts: Duration) -> anyhow::Result<Figures> {
    let folder = tempfile::tempdir()?;
    let storage = queue::open(&store.url(folder.path())).await?;
    let queue = QueueName::new(format!("{}-inside", queue_name(load)))?;
    let ids = Arc::new(TimeOrderedIds::default());
    let preload = store.preload(load);
    for first in (0..preload).step_by(PRELOAD) {
        storage.enqueue(&queue, vec![jobs(&*ids, PRELOAD.min(preload - first))]).await?;
    }
    let (cpu, began) = (cpu_of("self"), now());
    let mut callers = JoinSet::new();
    for _ in 0..load.callers() {
        callers.spawn(call(storage.clone(), load, queue.clone(), ids.clone(), began + lasts));
    }
    let mut seen = Seen::new();
    while let Some(caller) = callers.join_next().await {
        seen.add(&caller??);
    }
    let figures = seen.figures(began.elapsed(), cpu_of("self").saturating_sub(cpu));
    storage.close().await?;
    Ok(figures)
}

async fn call(
    storage: Arc<dyn Storage>,
    load: Load,
    queue: QueueName,
    ids: Arc<TimeOrderedIds>,
    until: Instant,
) -> anyhow::Result<Seen> {
    let mut seen = Seen::new();
    while now() < until {
        let began = now();
        let done = if load.works() {
            work(&*storage, load, &queue).await?
        } else if load.jobs() == 1 {
            // As callers of the library that merges their calls.
            storage.enqueue(&queue, vec![jobs(&*ids, 1)]).await?;
            1
        } else {
            let each = jobs(&*ids, load.jobs()).into_iter().map(|job| vec![job]).collect();
            storage.enqueue(&queue, each).await?;
            load.jobs()
        };
        if done == 0 {
            break;
        }
        seen.note(began.elapsed());
        seen.jobs += done as u64;
        seen.requests += load.requests();
    }
    Ok(seen)
}

async fn work(storage: &dyn Storage, load: Load, queue: &QueueName) -> anyhow::Result<usize> {
    let worker = WorkerId::from_static("bench");
    let request = ClaimRequest::new(queue.clone(), worker, load.jobs(), Span::from_secs(60), &SystemRng);
    let claimed = storage.claim(request).await?;
    let result = || Payload::new("null", ContentType::from_static("application/json"));
    let mut batch = Vec::with_capacity(claimed.jobs.len());
    for job in &claimed.jobs {
        let event = Event::Complete { token: job.token, result: result(), retention: None, then: Vec::new() };
        let transition = decide(&job.record.meta, event, &Policy::default());
        batch.push(transition.map_err(|rejected| anyhow::anyhow!("rejected: {rejected:?}"))?);
    }
    let count = batch.len();
    if count > 0 {
        storage.apply(batch).await?;
    }
    Ok(count)
}

fn jobs(ids: &dyn IdSource, count: usize) -> Vec<NewJob> {
    let job = |number| {
        let payload = Payload::new(payload(number), ContentType::from_static("application/json"));
        NewJob::new(ids.next_id(), Kind::from_static("email"), payload)
    };
    (0..count).map(job).collect()
}

/// About 100 bytes of JSON.
pub(crate) fn payload(number: usize) -> String {
    format!(
        r#"{{"to":"ada-{number}@example.org","subject":"Welcome aboard","template":"welcome","locale":"en","n":{number}}}"#
    )
}
