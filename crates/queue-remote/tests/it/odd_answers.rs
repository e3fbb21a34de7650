//! Answers that no server of this library gives. A caller gets an error that it may act on, and
//! never takes one for an outcome.

use crate::{
    fake::{End, FakeServer, Script},
    jobs::{put, served},
};
use queue_core::{Certainty, Error, ErrorKind, Result};
use queue_remote::{ContractMismatch, RemoteOptions, RemoteStorage};
use std::{error::Error as _, time::Duration};

/// The head of an answer that claims to be one of a store.
const OF_STORE: &str =
    "HTTP/1.1 200 OK\r\nqueue-contract: {contract}\r\ncontent-type: application/vnd.queue.store\r\n";

/// The error of an enqueue that is answered so.
async fn answered(answer: &str, end: End) -> Error {
    answered_with(answer.as_bytes().to_vec(), end).await
}

async fn answered_with(answer: Vec<u8>, end: End) -> Error {
    let (_store, server, _remote) = served().await;
    let fake = FakeServer::start(server.address, Script { answer, end, from_the_start: false }).await;
    let options = RemoteOptions::new(&fake.url()).expect("valid").response_timeout(Duration::from_secs(2));
    let remote = RemoteStorage::open(options).await.expect("the opening is answered as it should be");
    put(&remote, "a").await.expect_err("that is no answer")
}

fn assert_is(error: &Error, kind: ErrorKind, certainty: Certainty) {
    assert_eq!((error.kind(), error.certainty()), (kind, certainty), "{error}");
}

#[tokio::test]
async fn an_answer_that_is_cut_leaves_the_outcome_unknown() {
    let error = answered(&format!("{OF_STORE}content-length: 100\r\n\r\nabc"), End::Close).await;
    assert_is(&error, ErrorKind::Unavailable, Certainty::Unknown);
    let error = answered(&format!("{OF_STORE}content-le"), End::Close).await;
    assert_is(&error, ErrorKind::Unavailable, Certainty::Unknown);
    let error = answered("", End::Close).await;
    assert_is(&error, ErrorKind::Unavailable, Certainty::Unknown);
}

#[tokio::test]
async fn a_length_beyond_all_bounds_is_not_waited_for() {
    let error = answered(&format!("{OF_STORE}content-length: 99999999999999\r\n\r\nabc"), End::Hang).await;
    assert_is(&error, ErrorKind::Corrupt, Certainty::Unknown);
    assert!(error.message().contains("too large"), "{error}");
}

#[tokio::test]
async fn an_answer_of_noise_is_no_outcome() {
    let noise = [format!("{OF_STORE}content-length: 20\r\n\r\n").into_bytes(), vec![0xff; 20]].concat();
    assert_is(&answered_with(noise, End::Close).await, ErrorKind::Corrupt, Certainty::Unknown);
    let empty = format!("{OF_STORE}content-length: 0\r\n\r\n");
    assert_is(&answered(&empty, End::Close).await, ErrorKind::Corrupt, Certainty::Unknown);
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up() {
    let error = answered("", End::Hang).await;
    assert_is(&error, ErrorKind::Unavailable, Certainty::Unknown);
    let error = answered(&format!("{OF_STORE}content-length: 100\r\n\r\nabc"), End::Hang).await;
    assert_is(&error, ErrorKind::Unavailable, Certainty::Unknown);
    assert!(error.message().contains("in time"), "{error}");
}

#[tokio::test]
async fn what_speaks_no_http_is_named_as_such() {
    let error = answered("SSH-2.0-OpenSSH_9.2\r\n", End::Close).await;
    assert_is(&error, ErrorKind::Corrupt, Certainty::Unknown);
    assert!(error.message().contains("no HTTP server"), "{error}");
}

#[tokio::test]
async fn a_proxy_that_answers_in_place_of_the_server_leaves_the_outcome_unknown() {
    let page = "content-type: text/html\r\ncontent-length: 3\r\n\r\noh!";
    for status in [200, 301, 302, 400, 401, 403, 404, 405, 413, 421, 429, 502] {
        let error = answered(&format!("HTTP/1.1 {status} A\r\nlocation: /\r\n{page}"), End::Close).await;
        assert_is(&error, ErrorKind::Unavailable, Certainty::Unknown);
    }
    for body in ["", "oh!", "{}", "{\"type\": \"about:blank\", \"status\": 404}", "{\"kind\": \"outage\"}"] {
        let error = answered(&refusal(404, body), End::Close).await;
        assert_is(&error, ErrorKind::Unavailable, Certainty::Unknown);
    }
}

#[tokio::test]
async fn a_refusal_of_the_server_around_the_store_says_that_nothing_happened() {
    let body = "{\"kind\": \"too_many\", \"certainty\": \"not_applied\"}";
    let error = answered(&refusal(429, body), End::Close).await;
    assert_is(&error, ErrorKind::Unavailable, Certainty::NotApplied);
    let error = answered(&refusal(413, &body.replace("too_many", "invalid")), End::Close).await;
    assert_is(&error, ErrorKind::Invalid, Certainty::NotApplied);
}

/// A problem document.
fn refusal(status: u16, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status} A\r\ncontent-type: application/problem+json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

/// A rolling deployment replaces servers under open handles.
#[tokio::test]
async fn a_server_that_became_another_build_is_refused_in_the_middle_too() {
    let answer = "HTTP/1.1 412 Precondition Failed\r\nqueue-contract: 0123456789abcdef\r\nqueue-library: 9.9.9\r\n\
                  content-length: 0\r\n\r\n";
    let error = answered(answer, End::Close).await;
    assert_is(&error, ErrorKind::Unsupported, Certainty::NotApplied);
    let mismatch: &ContractMismatch =
        error.source().and_then(|source| source.downcast_ref()).expect("it says what differs");
    assert_eq!(mismatch.server_version(), "9.9.9");
    let taken = answered(&answer.replace("412 Precondition Failed", "200 OK"), End::Close).await;
    assert_is(&taken, ErrorKind::Unsupported, Certainty::Unknown);
}

/// What a handle answers when it opens at such a server.
async fn opened_at(answer: &str) -> Result<RemoteStorage> {
    let (_store, server, _remote) = served().await;
    let script = Script { answer: answer.as_bytes().to_vec(), end: End::Close, from_the_start: true };
    let fake = FakeServer::start(server.address, script).await;
    crate::jobs::open(&fake.url()).await
}

#[tokio::test]
async fn a_handle_is_not_opened_at_another_build_or_at_no_store() {
    let other = "HTTP/1.1 412 Precondition Failed\r\nqueue-contract: 0\r\nqueue-library: \x1b[31m0.0.1\r\n\
                 content-length: 0\r\n\r\n";
    let error = opened_at(other).await.expect_err("another build");
    // An escape would act on the terminal that shows the error.
    if error.kind() == ErrorKind::Unsupported {
        assert!(!error.message().contains('\x1b'), "{error}");
    }
    let other = other.replace("\x1b[31m", "");
    assert_is(&opened_at(&other).await.expect_err("no"), ErrorKind::Unsupported, Certainty::NotApplied);
    let none = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
    assert_is(&opened_at(none).await.expect_err("no"), ErrorKind::Invalid, Certainty::NotApplied);
    let forbidden = "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n";
    assert_is(&opened_at(forbidden).await.expect_err("no"), ErrorKind::Invalid, Certainty::NotApplied);
}
