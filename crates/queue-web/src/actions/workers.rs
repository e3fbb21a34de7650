//! Asking workers to drain, to pause, or to work as usual.

use crate::{
    answer::Answer,
    problem::{Result, WebProblem},
    visit::Visit,
};
use queue_core::{Duty, WorkerId};

/// `POST /duty`
pub(crate) async fn set_duty(visit: Visit) -> Result<Answer> {
    let id = WorkerId::new(visit.required("worker")?)?;
    let (duty, did) = match visit.required("duty")? {
        "drain" => (Duty::Drain, "drain"),
        "pause" => (Duty::Pause, "worker-pause"),
        "work" => (Duty::Work, "worker-work"),
        _ => return Err(WebProblem::invalid("A worker can drain, pause or work.")),
    };
    let present = visit.workers().await?.unwrap_or_default();
    let Some(worker) = present.iter().find(|worker| worker.id == id) else {
        return Ok(visit.done("worker-gone", 1, 0));
    };
    // It stops working on all of its queues.
    if !visit.covers(worker) {
        return Err(WebProblem::forbidden(
            "This worker also works on queues that your token does not reach.",
        ));
    }
    let queue = worker.queues.first().map_or("", |queue| queue.as_str());
    let record = visit.begin(did, queue, format!("worker {id}")).await?;
    let set = visit.storage().set_duty(&id, duty).await;
    let outcome = match &set {
        Ok(Some(_)) => "asked",
        Ok(None) => "it is not present",
        Err(_) => "the store refused",
    };
    visit.end(record, outcome).await;
    Ok(visit.done(if set?.is_some() { did } else { "worker-gone" }, 1, 0))
}
