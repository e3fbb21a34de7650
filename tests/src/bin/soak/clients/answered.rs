//! Answers of the service, in the terms of a history.

use super::{
    asked::digest,
    held::Lease,
    protocol::{ClaimedJob, EnqueueAnswer},
};
use crate::failed::{Failed, require};
use queue_testkit::history::{Answer, Ask, Event, Phase, RecordView, Status};

pub(super) fn enqueued(asked: &[Event], answer: &EnqueueAnswer) -> Result<Vec<Event>, Failed> {
    require_same(asked.len(), answer.jobs.len())?;
    let mut events = Vec::new();
    for (asked, job) in asked.iter().zip(&answer.jobs) {
        let became = match (job.outcome.as_str(), job.state.as_deref()) {
            ("queued", _) => Answer::Queued,
            ("completed", _) => Answer::Completed,
            (_, Some(state)) => Answer::Duplicate(status(state)?),
            (other, None) => return Err(format!("an enqueue was answered {other:?}").into()),
        };
        let result = (became == Answer::Completed).then(|| digest(job.result.as_deref()));
        events.push(Event {
            phase: Phase::Ok,
            time_store: Some(answer.now_ms),
            seq: Some(job.seq),
            answer: Some(became),
            result,
            digest: None,
            ask: Ask::default(),
            ..asked.clone()
        });
    }
    Ok(events)
}

pub(super) fn seen(job: &ClaimedJob) -> RecordView {
    RecordView {
        revision: Lease::revision_at_least(job.epoch),
        epoch: job.epoch,
        status: Status::Processing,
        failures: job.attempt - 1,
        priority: job.priority,
        created_at: job.created_at_ms,
        run_at: job.run_at_ms,
        expires_at: Some(job.lease_expires_at_ms),
        ..RecordView::default()
    }
}

fn status(name: &str) -> Result<Status, Failed> {
    Ok(serde_json::from_value(name.into())?)
}

pub(super) fn require_same(asked: usize, answered: usize) -> Result<(), Failed> {
    require(asked == answered, || format!("{answered} answers to {asked} items"))
}
