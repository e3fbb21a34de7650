//! Random requests: whatever arrives, the answer is one of the description, and never a fault of
//! the service. `PROPTEST_CASES` makes the campaign longer.

use crate::client::Client;
use axum::http::Method;
use proptest::{prelude::*, sample::select};
use serde_json::{Map, Value, json};
use tokio::runtime::Runtime;

const PATHS: [&str; 17] = [
    "/v1/queues/q/jobs",
    "/v1/queues/q/jobs:wait",
    "/v1/queues/q/claim",
    "/v1/extend",
    "/v1/settle",
    "/v1/workers",
    "/v1/workers:drain",
    "/v1/queues/q/jobs:cancel",
    "/v1/queues/q/jobs:redrive",
    "/v1/queues/q/jobs:promote",
    "/v1/queues/q/jobs:delete",
    "/v1/queues/q/jobs:retain",
    "/v1/queues/q/jobs:reschedule",
    "/v1/queues/q/jobs:prioritize",
    "/v1/queues/q/jobs:get",
    "/v1/queues/q/pause",
    "/v1/operations/o/cancel",
];

const FIELDS: [&str; 40] = [
    "id",
    "ids",
    "jobs",
    "items",
    "kind",
    "payload",
    "payload_base64",
    "content_type",
    "headers",
    "tags",
    "priority",
    "delay_ms",
    "expires_in_ms",
    "time_limit_ms",
    "max_attempts",
    "max_stalls",
    "keep_completed",
    "keep",
    "on_waiting",
    "max_wait_ms",
    "atomic",
    "worker",
    "claim_id",
    "limit",
    "lease_ms",
    "bytes_max",
    "repeat",
    "receipt",
    "by_ms",
    "progress",
    "complete",
    "fail",
    "snooze",
    "then",
    "error",
    "name",
    "filter",
    "states",
    "seq",
    "queues",
];

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        select(vec![0, 1, -1, 255, 1000, i64::MAX, i64::MIN]).prop_map(Value::from),
        Just(json!(u64::MAX)),
        Just(json!(1e300)),
        ".{0,12}".prop_map(Value::from),
        select(vec![
            "forever",
            "nothing",
            "unlimited",
            "replace",
            "failed",
            "q",
            "AAEC",
            "application/json",
            "v1.AAAA"
        ])
        .prop_map(Value::from),
        Just(json!("5f0c6a0e9b1d4c7f8a2b3c4d5e6f7081")),
        Just(json!("x".repeat(300))),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(4, 24, 4, |inner| {
        let object = prop::collection::vec((select(FIELDS.to_vec()), inner.clone()), 0..5);
        prop_oneof![
            prop::collection::vec(inner, 0..3).prop_map(Value::from),
            object.prop_map(|fields| {
                Value::from(
                    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>(),
                )
            }),
        ]
    })
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    let object = prop::collection::vec((select(FIELDS.to_vec()), value()), 0..6).prop_map(|fields| {
        let fields: Map<String, Value> =
            fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Value::from(fields).to_string().into_bytes()
    });
    prop_oneof![8 => object, 1 => prop::collection::vec(any::<u8>(), 0..64), 1 => value().prop_map(|value| value.to_string().into_bytes())]
}

proptest! {
    #[test]
    fn any_body_is_answered_as_described(path in select(PATHS.to_vec()), body in body()) {
        let runtime = Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let client = Client::new().await;
            client.enqueue("q", "q").await;
            let (status, answer) = client.call(Method::POST, path, body).await;
            assert!(status.as_u16() < 500 || status == 501, "{path}: {status} {answer}");
        });
    }

    #[test]
    fn any_path_and_any_query_are_answered_as_described(
        path in "/(v1|v1/queues|v1/queues/[^/?#]{0,9}|v1/queues/q/jobs/[^?#]{0,9}|v1/operations/[^?#]{0,9})(/outcome|/body|/stats)?",
        query in "([a-z_]{1,9}=[^&#]{0,9}&?){0,3}",
    ) {
        let escaped = |text: &str, kept: &str| -> String {
            let byte = |byte: u8| {
                let is_plain = byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte);
                if is_plain { char::from(byte).to_string() } else { format!("%{byte:02X}") }
            };
            text.bytes().map(byte).collect()
        };
        let uri = format!("{}?{}", escaped(&path, "/:%."), escaped(&query, "=&_%"));
        prop_assume!(uri.parse::<axum::http::Uri>().is_ok());
        let runtime = Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let client = Client::new().await;
            let (status, answer) = client.call(Method::GET, &uri, "").await;
            assert!(status.as_u16() < 500 || status == 501, "{uri}: {status} {answer}");
        });
    }
}
