//! Asking workers to drain, to pause, or to work as usual.

use crate::{
    answer::Answer,
    pages::{ConfirmPage, HiddenField, SURE, confirm},
    problem::{Result, WebProblem},
    visit::Visit,
};
use queue_core::{Duty, QueueName, WorkerId, WorkerInfo};
use queue_view::words::number;

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
    if duty == Duty::Drain && !visit.is_sure() {
        return ask(&visit, worker);
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

/// Asks before a worker ends, which no page takes back.
fn ask(visit: &Visit, worker: &WorkerInfo) -> Result<Answer> {
    let queues: Vec<&str> = worker.queues.iter().map(QueueName::as_str).collect();
    let details =
        [("Host", worker.host.clone()), ("Queues", queues.join(", ")), ("Holds", number(worker.held.into()))];
    confirm(visit, "Drain a worker", |frame| ConfirmPage {
        frame,
        question: format!("Drain the worker {}, so that it ends?", worker.id),
        details: details.map(|(name, value)| (name.to_owned(), value)).into(),
        action: "./duty",
        fields: [("worker", worker.id.as_str()), ("duty", "drain"), SURE].map(HiddenField::of).into(),
        label: "Drain and end".to_owned(),
        warning: "It finishes the jobs that it holds, and its program ends. No page starts it again.",
        is_final: true,
        typed: None,
        is_empty: false,
    })
}
