//! Random requests: every answer is one that the description allows, and never a fault of the
//! service. `cargo xtask soak fuzz` runs longer campaigns.

mod right;

use crate::client::Client;
use axum::http::{Method, StatusCode};
use proptest::{
    prelude::*,
    sample::{Index, select},
};
use right::{BATCH, LIMITS, RIGHT, method_of};
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use tokio::runtime::{Builder, Runtime};

const PATHS: [&str; 23] = [
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
    "/v1/schedules:preview",
    BATCH,
    LIMITS,
    "/v1/queues/q/batches/b/jobs",
    "/v1/queues/q/batches/b/seal",
    "/v1/queues/q/batches/b/cancel",
];

const FIELDS: [&str; 49] = [
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
    "cron",
    "every_ms",
    "zone",
    "at",
    "members",
    "on_end",
    "on_timeout",
    "timeout_ms",
    "keep_ms",
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

/// One service for many cases, since most of what a case costs is a new one; not for all, since
/// what they store stays.
struct Shared {
    runtime: Runtime,
    client: Client,
    receipt: String,
    cases: usize,
}

const CASES_PER_SERVICE: usize = 200;

thread_local! {
    static SHARED: RefCell<Option<Shared>> = const { RefCell::new(None) };
}

impl Shared {
    fn new() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let (client, receipt) = runtime.block_on(async {
            let client = Client::new().await;
            client.enqueue("q", "held").await;
            client.enqueue("q", "q").await;
            let job = client.claim("q", 1, 1).await.remove(0);
            (client, job["receipt"].as_str().expect("it is text").to_owned())
        });
        Self { runtime, client, receipt, cases: 0 }
    }

    /// Sends a request, of which `RECEIPT` in the body is a genuine receipt.
    fn answered(method: &Method, uri: &str, body: &[u8]) -> (StatusCode, Value) {
        SHARED.with_borrow_mut(|shared| {
            let shared = shared.get_or_insert_with(Self::new);
            shared.cases += 1;
            if shared.cases > CASES_PER_SERVICE {
                *shared = Self::new();
            }
            let body = with_receipt(body, shared.receipt.as_bytes());
            shared.runtime.block_on(shared.client.call(method.clone(), uri, body))
        })
    }
}

fn with_receipt(body: &[u8], receipt: &[u8]) -> Vec<u8> {
    const PLACE: &[u8] = b"RECEIPT";
    let Some(at) = body.windows(PLACE.len()).position(|part| part == PLACE) else { return body.to_vec() };
    [&body[..at], receipt, &body[at + PLACE.len()..]].concat()
}

const MARKS: &[u8] = b"\"\\{}[]:,.-+09aeE_ \n\0\xff\xc3*%/=utnf";

/// A right body with some wrong bytes.
fn nearly_right() -> impl Strategy<Value = (&'static str, Vec<u8>)> {
    let changes = prop::collection::vec((any::<Index>(), select(MARKS), 0..3_u8), 0..4);
    (select(RIGHT.to_vec()), changes).prop_map(|((path, right), changes)| {
        let mut bytes = right.as_bytes().to_vec();
        for (at, byte, how) in changes {
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => drop(bytes.remove(at)),
            }
        }
        (path, bytes)
    })
}

fn escaped(text: &str, kept: &str) -> String {
    let byte = |byte: u8| {
        let is_plain = byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte);
        if is_plain { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    };
    text.bytes().map(byte).collect()
}

/// The parameters of a listing, each of any value.
fn listing() -> impl Strategy<Value = String> {
    let names = vec![
        "after",
        "after",
        "state",
        "order",
        "kind",
        "tag",
        "worker",
        "id_prefix",
        "since_ms",
        "until_ms",
        "limit",
    ];
    let cursor = "[A-Za-z0-9._~:,|/+=-]{0,40}";
    let words = vec!["due", "lapsed", "failed", "newest", "oldest", "1", "0", "-1", "99999999999999999999"];
    let value = prop_oneof![3 => cursor, 1 => ".{0,12}", 2 => select(words).prop_map(str::to_owned)];
    let one = (select(names), value).prop_map(|(name, value)| format!("{name}={}", escaped(&value, "")));
    prop::collection::vec(one, 0..4).prop_map(|all| all.join("&"))
}

fn is_described(status: StatusCode) -> bool {
    status.as_u16() < 500 || status == StatusCode::NOT_IMPLEMENTED
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_body_is_answered_as_described(path in select(PATHS.to_vec()), body in body()) {
        let (status, answer) = Shared::answered(&method_of(path), path, &body);
        prop_assert!(is_described(status), "{path}: {status} {answer}");
    }

    #[test]
    fn a_body_with_wrong_bytes_is_answered_as_described((path, body) in nearly_right()) {
        let (status, answer) = Shared::answered(&method_of(path), path, &body);
        prop_assert!(is_described(status), "{path}: {status} {answer}");
    }

    #[test]
    fn any_cursor_and_any_parameter_of_a_listing_are_answered_as_described(
        what in select(vec!["jobs", "jobs", "jobs", "partitions"]),
        query in listing(),
    ) {
        let uri = format!("/v1/queues/q/{what}?{query}");
        let (status, answer) = Shared::answered(&Method::GET, &uri, b"");
        prop_assert!(is_described(status), "{uri}: {status} {answer}");
    }

    #[test]
    fn any_path_and_any_query_are_answered_as_described(
        path in "/(v1|v1/queues|v1/queues/[^/?#]{0,9}|v1/queues/q/jobs/[^?#]{0,9}|v1/operations/[^?#]{0,9})(/outcome|/body|/stats)?",
        query in "([a-z_]{1,9}=[^&#]{0,9}&?){0,3}",
    ) {
        let uri = format!("{}?{}", escaped(&path, "/:%."), escaped(&query, "=&_%"));
        prop_assume!(uri.parse::<axum::http::Uri>().is_ok());
        let (status, answer) = Shared::answered(&Method::GET, &uri, b"");
        prop_assert!(is_described(status), "{uri}: {status} {answer}");
    }
}
