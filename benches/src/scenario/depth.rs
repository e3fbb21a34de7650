use super::job::{jobs, preload, queue};
use crate::{
    clock::now,
    figures::{Figures, Latencies},
};
use anyhow::ensure;
use queue::queue_core::{
    ClaimRequest,
    lifecycle::{Event, Policy, Transition, decide},
};
use queue::{ContentType, Payload, Retention, Span, Storage, SystemRng, WorkerId};
use std::sync::Arc;

/// Jobs claimed and settled in one measured step.
const STEP: usize = 100;

/// What a claim and a settle of 100 jobs cost while so many others wait.
pub(super) async fn run(storage: Arc<dyn Storage>, backlog: usize, steps: usize) -> anyhow::Result<Figures> {
    preload(&*storage, jobs(backlog + steps * STEP, Retention::default())).await?;
    let (mut latencies, began) = (Latencies::new(), now());
    for _ in 0..steps {
        let sent = now();
        step(&*storage).await?;
        latencies.note(sent.elapsed());
    }
    Ok(latencies.figures(began.elapsed()))
}

async fn step(storage: &dyn Storage) -> anyhow::Result<()> {
    let worker = WorkerId::from_static("bench");
    let request = ClaimRequest::new(queue(), worker, STEP, Span::from_secs(60), &SystemRng);
    let claimed = storage.claim(request).await?;
    ensure!(claimed.jobs.len() == STEP, "claimed {} of {STEP}", claimed.jobs.len());
    let result = Payload::new("null", ContentType::from_static("application/json"));
    let settles: Result<Vec<Transition>, _> = claimed
        .jobs
        .iter()
        .map(|job| {
            let (token, result) = (job.token, result.clone());
            let event = Event::Complete { token, result, retention: None, then: Vec::new() };
            decide(&job.record.meta, event, &Policy::default())
        })
        .collect();
    let settles = settles.map_err(|rejected| anyhow::anyhow!("rejected: {rejected:?}"))?;
    let applied = storage.apply(settles).await?.value;
    ensure!(applied.iter().all(queue::queue_core::Applied::is_done), "a settle was refused");
    Ok(())
}
