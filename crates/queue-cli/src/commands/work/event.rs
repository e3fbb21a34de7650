use crate::output::{self, Format, Output, plural};
use queue::JobMeta;
use queue::worker::{Report, WorkerEvent};
use serde_json::{Value, json};

/// Tells people what they may want to act on, and programs everything.
pub(super) fn show(out: Output, event: &WorkerEvent) {
    match out.format() {
        Format::Human => {
            if let Some(words) = trouble(event) {
                output::note(&words);
            }
        }
        // A reader that has gone away must not stop the work.
        Format::Json => drop(object(event).map(|object| out.object(&object))),
    }
}

fn trouble(event: &WorkerEvent) -> Option<String> {
    Some(match event {
        WorkerEvent::Failing(job) => {
            format!("retrying {} after attempt {}{}", job.id, job.failures, why(job))
        }
        WorkerEvent::Failed(job) => format!("failed {}{}", job.id, why(job)),
        WorkerEvent::Cancelled(job) => format!("cancelled {}", job.id),
        WorkerEvent::Stalled(job) => format!("rescued {}: its worker is gone", job.id),
        WorkerEvent::LeaseLost { id, .. } => format!("lost {id} to another worker"),
        WorkerEvent::Abandoned { id, .. } => {
            format!("could not store the outcome of {id}; it will run again")
        }
        WorkerEvent::Error(error) => format!("warning: {error}; trying again"),
        _ => return None,
    })
}

fn why(job: &JobMeta) -> String {
    job.last_error.as_ref().map_or_else(String::new, |error| format!(": {error}"))
}

fn object(event: &WorkerEvent) -> Option<Value> {
    let of_job = |event: &str, job: &JobMeta| {
        let error =
            job.last_error.as_ref().map(|error| json!({"name": error.name(), "message": error.message()}));
        Some(json!({"event": event, "id": job.id.as_str(), "seq": job.seq.get(), "error": error}))
    };
    match event {
        WorkerEvent::Started(job) => of_job("started", job),
        WorkerEvent::Completed(job) => of_job("completed", job),
        WorkerEvent::Failing(job) => of_job("failing", job),
        WorkerEvent::Failed(job) => of_job("failed", job),
        WorkerEvent::Released(job) => of_job("released", job),
        WorkerEvent::Cancelled(job) => of_job("cancelled", job),
        WorkerEvent::Stalled(job) => of_job("rescued", job),
        WorkerEvent::LeaseLost { id, seq } => {
            Some(json!({"event": "lease_lost", "id": id.as_str(), "seq": seq.get()}))
        }
        WorkerEvent::Abandoned { id, seq } => {
            Some(json!({"event": "abandoned", "id": id.as_str(), "seq": seq.get()}))
        }
        WorkerEvent::Error(error) => Some(json!({"event": "error", "message": error.to_string()})),
        _ => None,
    }
}

/// The last words of a worker; what did not happen is left out.
pub(super) fn words(report: &Report) -> String {
    let others = [
        (report.failed, "failed"),
        (report.failing, "to be retried"),
        (report.cancelled, "cancelled"),
        (report.released, "given back"),
        (report.rescued, "rescued from other workers"),
        (report.leases_lost, "lost to other workers"),
        (report.abandoned, "abandoned"),
    ];
    let others =
        others.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}"));
    format!("completed {}{}", plural(report.completed, "job"), others.collect::<String>())
}

pub(super) fn summary(report: &Report) -> Value {
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
