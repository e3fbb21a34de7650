//! Requests that are right, for those that are nearly so.

use axum::http::Method;

pub(super) const BATCH: &str = "/v1/queues/q/batches/b";

pub(super) const LIMITS: &str = "/v1/queues/q/limits";

/// Of all requests with a body two are no POST here.
pub(super) fn method_of(path: &str) -> Method {
    if matches!(path, BATCH | LIMITS) { Method::PUT } else { Method::POST }
}

/// By path. `RECEIPT` stands for a genuine receipt.
pub(super) const RIGHT: [(&str, &str); 14] = [
    (
        "/v1/queues/q/jobs",
        r#"{"jobs":[{"id":"a","kind":"k","payload":{"n":[1,2.50]},"headers":{"a":"b"},"tags":["t"],"priority":-1,
            "delay_ms":5,"expires_in_ms":9,"time_limit_ms":7,"max_attempts":3,"max_stalls":"unlimited",
            "keep_completed":"forever","keep_failed":8,"on_failed":"replace","on_waiting":"replace","max_wait_ms":5,
            "on_failure":"mourn","awaited":true},{"payload_base64":"AAEC","content_type":"a/b"}],"atomic":true}"#,
    ),
    (
        "/v1/queues/q/claim",
        r#"{"worker":"w","claim_id":"5f0c6a0e9b1d4c7f8a2b3c4d5e6f7081","limit":2,"lease_ms":30000,"bytes_max":99,
            "repeat":false}"#,
    ),
    ("/v1/extend", r#"{"worker":"w","items":[{"receipt":"RECEIPT","by_ms":30000,"progress":{"a":1}}]}"#),
    (
        "/v1/settle",
        r#"{"items":[{"receipt":"RECEIPT","complete":{"result":{"a":null},"keep":5,"then":[{"id":"n","kind":"k"}]}}]}"#,
    ),
    (
        "/v1/settle",
        r#"{"items":[{"receipt":"RECEIPT","fail":{"error":{"name":"E","message":"m","details":"d"},"cause":"terminal",
            "delay_ms":5,"keep":"nothing","then":[]}}]}"#,
    ),
    ("/v1/settle", r#"{"items":[{"receipt":"RECEIPT","snooze":{"delay_ms":9,"progress_base64":"AAEC"}}]}"#),
    ("/v1/queues/q/jobs:redrive", r#"{"filter":{"states":["failed"],"kind":"k","tag":"t","id_prefix":"a"}}"#),
    ("/v1/queues/q/jobs:cancel", r#"{"ids":["a","b"],"processing":"request"}"#),
    (
        "/v1/workers",
        r#"{"worker":"w","queues":["q"],"concurrency":2,"held":1,"version":"1","host":"h","kinds":["k"],
            "ttl_ms":5000}"#,
    ),
    (
        BATCH,
        r#"{"on_end":{"kind":"k","payload":{"n":2.50}},"on_success":{"kind":"k"},"on_failure":{"kind":"k"},
            "on_first_failure":{"kind":"k","payload":null},"callbacks_in":"q","timeout_ms":5000,"on_timeout":"leave",
            "keep_ms":9}"#,
    ),
    (
        "/v1/queues/q/batches/b/jobs",
        r#"{"jobs":[{"id":"a","kind":"k","payload":{"n":1},"tags":["t"]}],"seq":1}"#,
    ),
    ("/v1/queues/q/batches/b/seal", r#"{"seq":1}"#),
    (
        LIMITS,
        r#"{"each":{"running":3},"unpartitioned":{"weight":2},"partitions":{"a":{"running":0,"weight":9},"b":null}}"#,
    ),
    (
        "/v1/settle",
        r#"{"items":[{"receipt":"RECEIPT","complete":{"members":[{"id":"n","kind":"k","payload":[1]}]}}]}"#,
    ),
];
