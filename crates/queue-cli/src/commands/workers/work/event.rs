//! Prints the events and the report of the worker of `queue work`, in words or as JSON objects.

use crate::output::{self, Format, Output, plural};
use crate::seldom_warning::SeldomWarning;
use queue::worker::{JobEnd, WorkerEvent, WorkerReport};
use queue::{Error, ErrorKind, Failure, JobMeta};
use serde_json::{Value, json};

/// Prints for people what they may want to act on, and for programs every event. People see an
/// error of what is tried again seldom: on a full disk that is the same line each second.
pub(super) fn shown(out: Output) -> impl Fn(&WorkerEvent) {
    let tries = SeldomWarning::default();
    move |event| match (out.format(), event) {
        (Format::Human, WorkerEvent::Error(error)) if is_tried_again(error) => {
            tries.warn(Format::Human, format!("{error}; trying again"));
        }
        (Format::Human, event) => drop(trouble(event).map(output::note)),
        // A reader that goes away must not stop the work.
        (Format::Json, event) => drop(object(event).map(|object| out.object(&object))),
    }
}

/// No waiting helps against the others.
fn is_tried_again(error: &Error) -> bool {
    !matches!(error.kind(), ErrorKind::Closed | ErrorKind::Invalid | ErrorKind::Unsupported)
}

fn trouble(event: &WorkerEvent) -> Option<String> {
    Some(match event {
        WorkerEvent::Failing(end) => {
            format!("retrying {} after attempt {}{}", end.meta.id, end.attempt, why(end))
        }
        WorkerEvent::Failed(end) => format!("failed {}{}", end.meta.id, why(end)),
        WorkerEvent::Cancelled(end) => format!("cancelled {}", end.meta.id),
        WorkerEvent::Stalled(job) => format!("rescued {}: its worker is gone", job.id),
        WorkerEvent::LeaseLost { id, .. } => format!("lost {id} to another worker"),
        WorkerEvent::Abandoned { id, .. } => {
            format!("could not store the outcome of {id}; it will run again")
        }
        WorkerEvent::Draining => "draining on request".to_owned(),
        WorkerEvent::Paused => "paused on request".to_owned(),
        WorkerEvent::Resumed => "going on after a pause".to_owned(),
        WorkerEvent::Error(error) if error.kind() == ErrorKind::Closed => format!("stopping: {error}"),
        WorkerEvent::Error(error) => format!("warning: {error}"),
        _ => return None,
    })
}

fn why(end: &JobEnd) -> String {
    end.error.as_ref().map_or_else(String::new, |error| format!(": {error}"))
}

fn object(event: &WorkerEvent) -> Option<Value> {
    let of_job = |event: &str, job: &JobMeta, error: Option<&Failure>| {
        let error = error.map(|error| json!({"name": error.name(), "message": error.message()}));
        Some(json!({"event": event, "id": job.id.as_str(), "seq": job.seq.get(), "error": error}))
    };
    let of_end = |event: &str, end: &JobEnd| of_job(event, &end.meta, end.error.as_ref());
    match event {
        WorkerEvent::Started(job) => of_job("started", job, job.last_error.as_ref()),
        WorkerEvent::Completed(end) => of_end("completed", end),
        WorkerEvent::Failing(end) => of_end("failing", end),
        WorkerEvent::Failed(end) => of_end("failed", end),
        WorkerEvent::Released(end) => of_end("released", end),
        WorkerEvent::Cancelled(end) => of_end("cancelled", end),
        WorkerEvent::Stalled(job) => of_job("rescued", job, job.last_error.as_ref()),
        WorkerEvent::LeaseLost { id, seq, .. } => {
            Some(json!({"event": "lease_lost", "id": id.as_str(), "seq": seq.get()}))
        }
        WorkerEvent::Abandoned { id, seq, .. } => {
            Some(json!({"event": "abandoned", "id": id.as_str(), "seq": seq.get()}))
        }
        WorkerEvent::Draining => Some(json!({"event": "draining"})),
        WorkerEvent::Paused => Some(json!({"event": "paused"})),
        WorkerEvent::Resumed => Some(json!({"event": "resumed"})),
        WorkerEvent::Error(error) => Some(json!({"event": "error", "message": error.to_string()})),
        _ => None,
    }
}

/// The worker's report; counts of zero are omitted.
pub(super) fn words(report: &WorkerReport) -> String {
    let others = [
        (report.failed, "failed"),
        (
            report.failing,
            if report.failing == 1 { "attempt to be retried" } else { "attempts to be retried" },
        ),
        (report.cancelled, "cancelled"),
        (report.released, "given back"),
        (report.rescued, "rescued from other workers"),
        (report.leases_lost, "lost to other workers"),
        (report.abandoned, "abandoned"),
    ];
    let others =
        others.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}"));
    format!("completed {}{}", plural(report.completed, "job", "jobs"), others.collect::<String>())
}

pub(super) fn summary(report: &WorkerReport) -> Value {
    json!({
        "event": "summary",
        "started": report.started,
        "completed": report.completed,
        "failing": report.failing,
        "failed": report.failed,
        "released": report.released,
        "cancelled": report.cancelled,
        "rescued": report.rescued,
        "leases_lost": report.leases_lost,
        "abandoned": report.abandoned,
    })
}
