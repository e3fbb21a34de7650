//! The jobs that scenarios store, and the calls that preload, claim and complete them.

use queue::queue_core::{
    ClaimRequest, Claimed, ClaimedJob, NewJob, Retention, RetentionPolicy, Span,
    lifecycle::{Event, Policy, Transition, decide},
};
use queue::{ContentType, IdSource, Kind, Payload, QueueName, Storage, SystemRng, TimeOrderedIds, WorkerId};

/// Jobs in one call, where a scenario sends batches.
pub(crate) const BATCH: usize = 1000;

pub(crate) fn queue() -> QueueName {
    QueueName::from_static("bench")
}

/// Jobs with generated ids and about 100 bytes of JSON.
pub(crate) fn jobs(count: usize, retention: Retention) -> Vec<NewJob> {
    let ids = TimeOrderedIds::default();
    (0..count).map(|number| job(&ids, &payload(number), retention)).collect()
}

pub(crate) fn payload(number: usize) -> String {
    format!(
        r#"{{"to":"ada-{number}@example.org","subject":"Welcome aboard","template":"welcome","locale":"en","n":{number}}}"#
    )
}

pub(crate) fn job(ids: &dyn IdSource, payload: &str, retention: Retention) -> NewJob {
    let payload = Payload::new(payload.to_owned(), ContentType::from_static("application/json"));
    let kept = RetentionPolicy { completed: retention, ..RetentionPolicy::default() };
    NewJob::new(ids.next_id(), Kind::from_static("email"), payload).with_retention(kept)
}

/// Stores jobs before the measurement begins. They are made batch by batch, so that no more than
/// one is in memory besides.
pub(crate) async fn preload(storage: &dyn Storage, count: usize, retention: Retention) -> anyhow::Result<()> {
    let ids = TimeOrderedIds::default();
    for first in (0..count).step_by(BATCH) {
        let numbers = first..count.min(first + BATCH);
        let batch = numbers.map(|number| job(&ids, &payload(number), retention)).collect();
        storage.enqueue(&queue(), vec![batch]).await?;
    }
    Ok(())
}

/// Claims at most so many, for a minute.
pub(crate) async fn claim(storage: &dyn Storage, limit: usize) -> anyhow::Result<Claimed> {
    let worker = WorkerId::from_static("bench");
    let request = ClaimRequest::new(queue(), worker, limit, Span::from_secs(60), &SystemRng);
    Ok(storage.claim(request).await?)
}

/// What a job ends with that has nothing to tell.
pub(crate) fn completion(job: &ClaimedJob) -> Event {
    let result = Payload::new("null", ContentType::from_static("application/json"));
    Event::Complete { token: job.token, result, retention: None, then: Vec::new() }
}

pub(crate) fn decided(job: &ClaimedJob, event: Event) -> anyhow::Result<Transition> {
    decide(&job.record.meta, event, &Policy::default())
        .map_err(|rejected| anyhow::anyhow!("rejected: {rejected:?}"))
}
