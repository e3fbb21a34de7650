//! Only a genuine token passes, with any bytes in the headers of a request.

use super::{House, in_mail};
use crate::access::Scope;
use axum::body::Body;
use http::{HeaderValue, Request};
use proptest::{prelude::*, sample::select};
use std::cell::OnceCell;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;

/// Headers that the door, the calls or what is below them read.
const NAMES: [&str; 18] = [
    "authorization",
    "host",
    "origin",
    "sec-fetch-site",
    "content-type",
    "content-length",
    "content-encoding",
    "transfer-encoding",
    "expect",
    "accept",
    "last-event-id",
    "if-match",
    "if-none-match",
    "range",
    "cookie",
    "forwarded",
    "x-forwarded-for",
    "upgrade",
];
const PATHS: [(&str, &str); 5] = [
    ("GET", "/v1/queues"),
    ("GET", "/v1/queues/mail/jobs"),
    ("POST", "/v1/queues/mail/claim"),
    ("POST", "/v1/settle"),
    ("GET", "/metrics"),
];

thread_local! {
    /// One house for all cases of a thread, since each has files.
    static HOUSE: OnceCell<(Runtime, House, String)> = const { OnceCell::new() };
}

fn house() -> (Runtime, House, String) {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let house = runtime.block_on(House::new());
    let token = house.token(in_mail([Scope::View])).reveal();
    (runtime, house, token)
}

fn value() -> impl Strategy<Value = Vec<u8>> {
    let words = vec![
        "Bearer ",
        "bearer",
        "Basic YTpi",
        "queue.test",
        "localhost",
        "[::1]:80",
        "http://queue.test",
        "null",
        "same-origin",
        "cross-site",
        "application/json",
        "application/json;charset=\"",
        "text/plain",
        "*",
        "chunked",
        "100-continue",
        "bytes=0-1,-5",
        "W/\"1\"",
        "18446744073709551616",
        "-1",
    ];
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..40),
        select(words).prop_map(|word| word.as_bytes().to_vec()),
        "Bearer qk_[a-z0-9-]{1,12}_[A-Za-z0-9_-]{43}".prop_map(String::into_bytes),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_headers_open_no_door_without_a_genuine_token(
        call in select(PATHS.to_vec()),
        headers in prop::collection::vec((select(NAMES.to_vec()), value()), 0..6),
        wrong in prop::option::of((any::<prop::sample::Index>(), any::<u8>())),
    ) {
        HOUSE.with(|cell| {
            let (runtime, house, token) = cell.get_or_init(house);
            let mut request = Request::builder().method(call.0).uri(call.1);
            for (name, value) in &headers {
                if let Ok(value) = HeaderValue::from_bytes(value) {
                    request = request.header(*name, value);
                }
            }
            // A genuine token with one byte changed.
            if let Some((at, byte)) = wrong {
                let mut text = format!("Bearer {token}").into_bytes();
                let at = at.index(text.len());
                // The scheme may be in either case; white space behind a token is none of it.
                let is_same = at < "Bearer ".len() || text[at] == byte || byte == b' ' || byte == b'\t';
                text[at] = byte;
                if let Some(value) = HeaderValue::from_bytes(&text).ok().filter(|_| !is_same) {
                    request = request.header("authorization", value);
                }
            }
            let request = request.body(Body::from("{}")).expect("it is a request");
            let answer = runtime.block_on(house.guarded.clone().oneshot(request)).expect("it never fails");
            assert!(answer.status().is_client_error(), "{call:?} {headers:?}: {}", answer.status());
        });
    }
}
