//! Changes of a record in words.

use crate::format::{AmendedFields, Blob, FieldChange, JournalChange};
use queue_core::{JobMeta, Limit, LimitScope, Pause, QueueName, SeriesEntry};
use queue_memory::{LimitChanges, Pauses};

/// A change in words.
pub(super) fn describe(change: &JournalChange) -> String {
    match change {
        JournalChange::Put { job, payload, result, error_details, .. } => {
            let meta = &job.meta;
            let parts = parts(result.as_ref(), error_details.as_ref().map(bytes::Bytes::len));
            let queue = &meta.queue;
            let id = &meta.id;
            let seq = meta.seq;
            let kind = &meta.kind;
            format!(
                "put {queue}/{id:?} life {seq} kind {kind} {}, payload {} bytes{parts}",
                stand(meta),
                payload.range.len()
            )
        }
        JournalChange::Update(update) => {
            let result = match &update.result {
                FieldChange::Now(result) => Some(result),
                FieldChange::Same | FieldChange::Gone => None,
            };
            let details = match &update.error_details {
                FieldChange::Now(details) => Some(details.len()),
                FieldChange::Same | FieldChange::Gone => None,
            };
            let fields = &update.fields;
            let parts = parts(result, details);
            let queue = &update.queue;
            let seq = update.seq;
            let state = fields.state;
            let revision = fields.revision;
            let retyped =
                update.content_type.as_ref().map(|now| format!(", payload is {now}")).unwrap_or_default();
            format!("update {queue} life {seq}: {state}, revision {revision}{parts}{retyped}")
        }
        JournalChange::Amend(AmendedFields { queue, seq, priority, .. }) => {
            format!("amend {queue} life {seq}: priority {priority}")
        }
        JournalChange::Remove { queue, seq } => format!("remove {queue} life {seq}"),
        JournalChange::Pause { queue, pauses } if pauses.is_empty() => format!("resume {queue}"),
        JournalChange::Pause { queue, pauses } => describe_pauses(queue, pauses),
        JournalChange::Limits { queue, changes } => describe_limits(queue, changes),
        JournalChange::Worker { worker, until } => format!("worker {} until {until}", worker.id),
        JournalChange::Retire(worker) => format!("worker {worker} is gone"),
        JournalChange::Series { entry, until } => {
            let SeriesEntry { series, slot, writer, bytes } = entry;
            let what = match until {
                Some(until) => format!("{} bytes until {until}", bytes.len()),
                None => "gone".to_owned(),
            };
            format!("series {series} slot {slot} of {writer}: {what}")
        }
    }
}

fn describe_pauses(queue: &QueueName, pauses: &Pauses) -> String {
    let until = |pause: Pause| pause.until().map(|until| format!(" until {until}")).unwrap_or_default();
    let whole = pauses.queue.is_on().then(|| until(pauses.queue));
    let kinds = pauses.kinds.iter().map(|(kind, pause)| format!(" of kind {kind}{}", until(*pause)));
    let pauses: Vec<_> = whole.into_iter().chain(kinds).collect();
    format!("pause {queue}{}", pauses.join(","))
}

fn describe_limits(queue: &QueueName, changes: &LimitChanges) -> String {
    let of = |scope: &LimitScope| match scope {
        LimitScope::EachPartition => "each partition".to_owned(),
        LimitScope::Partition(partition) => format!("partition {partition:?}"),
        _ => "jobs without a partition".to_owned(),
    };
    let now = |limit: &Option<Limit>| match limit {
        None => "none".to_owned(),
        Some(Limit { running: None, weight }) => format!("weight {weight}"),
        Some(Limit { running: Some(running), weight }) => format!("{running} running, weight {weight}"),
    };
    let changes: Vec<_> =
        changes.iter().map(|(scope, limit)| format!(" of {}: {}", of(scope), now(limit))).collect();
    format!("limit {queue}{}", changes.join(","))
}

fn stand(meta: &JobMeta) -> String {
    let worker = meta.lease.as_ref().map(|lease| format!(" by {}", lease.worker)).unwrap_or_default();
    format!("{}{worker}, revision {}, due {}", meta.state, meta.revision, meta.run_at)
}

fn parts(result: Option<&Blob>, details: Option<usize>) -> String {
    let result = result.map(|result| format!(", result {} bytes", result.range.len()));
    let details = details.map(|details| format!(", error details {details} bytes"));
    [result, details].into_iter().flatten().collect()
}
