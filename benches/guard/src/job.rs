//! Jobs like the jobs of the benchmarks, in one queue, at one time.

use queue_core::{
    ClaimRequest, ClaimedJob, ContentType, JobId, Kind, Moment, NewJob, Payload, QueueName, Rng, SeededRng,
    Span, Timestamp, WorkerId,
    lifecycle::{Event, Policy, Transition, decide},
};
use queue_memory::Engine;

pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);

pub(crate) fn queue() -> QueueName {
    QueueName::from_static("guard")
}

pub(crate) fn jobs(from: usize, count: usize) -> anyhow::Result<Vec<NewJob>> {
    (from..from + count).map(job).collect()
}

fn job(number: usize) -> anyhow::Result<NewJob> {
    let text = format!(
        r#"{{"to":"ada-{number}@example.org","subject":"Welcome aboard","template":"welcome","n":{number}}}"#
    );
    let payload = Payload::new(text, ContentType::from_static("application/json"));
    // Ids that are spread as generated ones are.
    let id = JobId::new(format!("{:032x}", u128::from(SeededRng::new(number as u64).next_u64())))?;
    Ok(NewJob::new(id, Kind::from_static("email"), payload))
}

/// An engine with jobs that are due.
pub(crate) fn engine_with(count: usize) -> anyhow::Result<Engine> {
    let mut engine = Engine::default();
    engine.enqueue(&queue(), vec![jobs(0, count)?], NOW);
    engine.take_notices();
    Ok(engine)
}

pub(crate) fn claim(engine: &mut Engine, limit: usize) -> Vec<ClaimedJob> {
    let worker = WorkerId::from_static("guard");
    let lease = Span::from_secs(30);
    engine.claim(&ClaimRequest::new(queue(), worker, limit, lease, &SeededRng::new(7)), Moment::at(NOW)).jobs
}

pub(crate) fn complete(job: &ClaimedJob) -> anyhow::Result<Transition> {
    let result = Payload::new("null", ContentType::from_static("application/json"));
    let event = Event::Complete { token: job.token, result, retention: None, then: Vec::new() };
    decide(&job.record.meta, event, &Policy::default()).map_err(|rejected| anyhow::anyhow!("{rejected:?}"))
}
