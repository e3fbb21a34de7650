//! Documents with any values in their places are read, or are an error. None does harm.

use super::{
    answers::{ChangesJson, EnqueueJson, OutcomeJson},
    body_json::BodyJson,
    job_json::JobJson,
    listing::PageJson,
    partition_json::{PartitionsJson, QueueLimitsJson},
    queue_json::{QueueJson, QueuesJson, WorkerJson, WorkersJson},
    service_store::LimitsJson,
};
use proptest::{prelude::*, sample::Index};
use queue_core::{PartitionQuery, QueueName};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A job as the service shows it, with each part that is read.
fn job() -> Value {
    let document = r#"{
        "now_ms": 5, "queue": "q", "id": "a", "seq": 7, "revision": 5, "kind": "k", "tags": ["t"],
        "partition": "p", "state": "failing", "priority": -4, "failures": 2, "stalls": 1, "time_limit_ms": 5000,
        "max_attempts": "unlimited", "max_stalls": 2, "keep_completed": "forever", "keep_failed": 3600,
        "on_failure": "mourn", "epoch": 9, "created_at_ms": 1, "run_at_ms": 2, "claimed_at_ms": 3,
        "failed_at_ms": 2, "finished_at_ms": null, "purge_at_ms": 9, "expires_at_ms": 60,
        "cancel_requested": true, "awaited": true, "reason": "exhausted",
        "error": {"name": "Smtp", "message": "later"}, "worker": "w", "lease_expires_at_ms": 9,
        "gate": {"needs": 3, "signals": 1, "completed": 1, "failed": 0, "cancelled": 0, "sealed": true,
                 "closed": true},
        "attempt_log": [{"epoch": 8, "worker": "w", "claimed_at_ms": 1, "ended_at_ms": 2, "outcome": "stalled",
                         "error": {"name": "Stalled", "message": "its worker died"}}]
    }"#;
    serde_json::from_str(document).expect("it is JSON")
}

/// Each document that a call of the handle reads.
fn documents() -> Vec<Value> {
    let data = json!({"json": {"n": 1}, "text": "x", "base64": "AA==", "content_type": "x/y"});
    let queue = json!({
        "queue": "q", "paused": true, "paused_until_ms": 9, "paused_kinds": [{"kind": "k", "until_ms": 3}], "queued": 1,
        "processing": 2, "failing": 3, "completed": 4, "failed": 5, "cancelled": 6, "scheduled": 1, "gated": 1,
        "oldest_due_age_ms": 7, "now_ms": 9,
    });
    let worker = json!({
        "id": "w", "queues": ["q"], "concurrency": 2, "held": 1, "host": "h", "draining": false, "paused": true,
        "about": {"version": "1"},
    });
    vec![
        job(),
        json!({"now_ms": 5, "jobs": [job()], "next": "c", "looked_at": 1}),
        json!({"seq": 7, "headers": {"h": "v"}, "payload": data, "result": data, "error_details": data,
               "progress": data, "end_signals": [{"to": "b", "raises": true, "tolerant": false, "urgent": true}]}),
        json!({"queues": [queue], "next": "q"}),
        queue,
        json!({"workers": [worker]}),
        worker,
        json!({"now_ms": 5, "jobs": [{"seq": 7, "outcome": "completed", "state": "completed", "result": 1,
                                      "result_base64": "AA==", "content_type": "x/y"}]}),
        json!({"seq": 7, "outcome": "failed", "state": "failed", "reason": "exhausted", "content_type": "x/y",
               "error": {"name": "Smtp", "message": "later", "details": {}, "details_base64": "AA=="}}),
        json!({"items": [{"outcome": "done", "state": "cancelled"}]}),
        json!({"jobs_per_call_max": 1, "payload_bytes_max": 2, "note_bytes_max": 3, "wait_ms_max": 4,
               "partitions": true}),
        json!({"each": {"running": 3, "weight": 1}, "unpartitioned": {"running": null, "weight": 2},
               "partitions": {"acme": {"running": 0, "weight": 1}}}),
        json!({"now_ms": 5, "partitions": [{"partition": "acme", "leases": 1, "limit": {"running": 1, "weight": 1},
               "has_own_limit": true, "waiting": 2, "oldest_due_age_ms": 7}], "next": "acme"}),
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<String>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        prop::sample::select(vec![
            json!(null),
            json!(true),
            json!([]),
            json!({}),
            json!(1.5),
            json!("forever")
        ]),
    ]
}

/// How many values a document has in it.
fn places(document: &Value) -> usize {
    match document {
        Value::Array(items) => 1 + items.iter().map(places).sum::<usize>(),
        Value::Object(fields) => 1 + fields.values().map(places).sum::<usize>(),
        _ => 1,
    }
}

/// Puts a value in the place of another one, counted in the order of the document.
fn put(document: &mut Value, place: &mut usize, value: &Value) {
    if *place == 0 {
        document.clone_from(value);
    }
    *place = place.wrapping_sub(1);
    match document {
        Value::Array(items) => items.iter_mut().for_each(|item| put(item, place, value)),
        Value::Object(fields) => fields.values_mut().for_each(|field| put(field, place, value)),
        _ => {}
    }
}

fn document() -> impl Strategy<Value = Value> {
    let wrong = prop::collection::vec((any::<Index>(), any_value()), 0..4);
    (prop::sample::select(documents()), wrong).prop_map(|(mut document, wrong)| {
        for (at, value) in wrong {
            let mut place = at.index(places(&document));
            put(&mut document, &mut place, &value);
        }
        document
    })
}

fn read<T: DeserializeOwned>(document: &Value, then: impl FnOnce(T)) -> bool {
    serde_json::from_slice(document.to_string().as_bytes()).map(then).is_ok()
}

/// Reads a document as each type, and goes on with what it was. The answer is whether it was any.
fn read_as_each(document: &Value) -> bool {
    [
        read(document, |job: JobJson| drop((job.meta(), job.attempts()))),
        read(document, |page: PageJson| drop(page.page())),
        read(document, |body: BodyJson| drop((body.body(), body.progress()))),
        read(document, |queues: QueuesJson| queues.queues.iter().for_each(|queue| drop(queue.status()))),
        read(document, |queue: QueueJson| drop(queue.status())),
        read(document, |workers: WorkersJson| workers.workers.iter().for_each(|worker| drop(worker.info()))),
        read(document, |worker: WorkerJson| drop(worker.info())),
        read(document, |enqueued: EnqueueJson| drop(enqueued.answers())),
        read(document, |outcome: OutcomeJson| drop(outcome.ended())),
        read(document, |changes: ChangesJson| drop(changes.items)),
        read(document, |_limits: LimitsJson| ()),
        read(document, |limits: QueueLimitsJson| drop(limits.limits())),
        read(document, |page: PartitionsJson| {
            drop(page.page(&PartitionQuery::all(QueueName::from_static("q"), 1)));
        }),
    ]
    .contains(&true)
}

#[test]
fn each_document_is_read_as_it_stands_here() {
    for document in documents() {
        assert!(read_as_each(&document), "{document}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_document_is_read_without_harm(document in document()) {
        read_as_each(&document);
    }
}
