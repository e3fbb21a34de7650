//! Bytes that two readers would cut into requests at different places.

use crate::server::Running;
use queue_http::ServerLimits;

/// A request that a proxy in front must not have let through as part of a body.
const HIDDEN: &str = "GET /hidden HTTP/1.1\r\nhost: a\r\n\r\n";

/// Each request has [`HIDDEN`] where one way of reading has a body and another one a request.
fn ambiguous() -> Vec<(&'static str, String)> {
    let length = HIDDEN.len();
    let post = |headers: &str, body: &str| format!("POST /outer HTTP/1.1\r\nhost: a\r\n{headers}\r\n{body}");
    let chunked = format!("0\r\n\r\n{HIDDEN}");
    let whole = chunked.len();
    let both = |first: &str, second: &str| post(&format!("{first}\r\n{second}\r\n"), &chunked);
    let te = "transfer-encoding: chunked";
    let cl = format!("content-length: {whole}");
    vec![
        ("length, then chunks", both(&cl, te)),
        ("chunks, then length", both(te, &cl)),
        ("two lengths", post(&format!("content-length: 0\r\ncontent-length: {length}\r\n"), HIDDEN)),
        ("two lengths in one", post(&format!("content-length: 0, {length}\r\n"), HIDDEN)),
        ("a length with a sign", post(&format!("content-length: +{length}\r\n"), HIDDEN)),
        ("a negative length", post("content-length: -1\r\n", HIDDEN)),
        ("a hexadecimal length", post(&format!("content-length: 0x{length:x}\r\n"), HIDDEN)),
        ("a length beyond all numbers", post(&format!("content-length: {}\r\n", "9".repeat(30)), HIDDEN)),
        ("a space before the colon", post(&format!("content-length : {length}\r\n"), HIDDEN)),
        ("a space before the colon of chunks", post("transfer-encoding : chunked\r\n", &chunked)),
        ("a folded header", post("content-length:\r\n 0\r\n", HIDDEN)),
        ("chunks that are not last", post("transfer-encoding: chunked, identity\r\n", &chunked)),
        ("chunks under another name", post("transfer-encoding: xchunked\r\n", &chunked)),
        ("identity and a length", post(&format!("transfer-encoding: identity\r\n{cl}\r\n"), &chunked)),
        ("two encodings", post("transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n", &chunked)),
        ("a tab in front of chunks", post("transfer-encoding:\x0bchunked\r\n", &chunked)),
        ("chunks of HTTP/1.0", format!("POST /outer HTTP/1.0\r\nhost: a\r\n{te}\r\n\r\n{chunked}")),
        ("a chunk with a sign", post(&format!("{te}\r\n"), &format!("+0\r\n\r\n{HIDDEN}"))),
        ("a chunk size beyond all numbers", post(&format!("{te}\r\n"), &format!("{}\r\n", "f".repeat(40)))),
        ("line feeds alone in chunks", post(&format!("{te}\r\n"), &format!("0\n\n{HIDDEN}"))),
        (
            "a line feed in a chunk's extension",
            post(&format!("{te}\r\n"), &format!("0;x\ny\r\n\r\n{HIDDEN}")),
        ),
        ("a null in a header", post("x: a\0b\r\n", HIDDEN)),
        ("a carriage return in a header", post("x: a\rcontent-length: 0\r\n", HIDDEN)),
        ("a second head in a chunked trailer", post(&format!("{te}\r\n"), &format!("0\r\n{HIDDEN}"))),
    ]
}

#[tokio::test]
async fn bytes_that_could_be_a_second_request_are_never_one_after_an_ambiguous_head() {
    for (what, request) in ambiguous() {
        let server = Running::start(ServerLimits::default()).await;
        let answers = server.say(&request).await;
        assert!(answers.matches("HTTP/1.1 ").count() <= 1, "{what}: {answers}");
        let hidden: Vec<_> = server.seen().into_iter().filter(|seen| seen.contains("hidden")).collect();
        assert!(hidden.is_empty(), "{what}: {hidden:?}");
    }
}

#[tokio::test]
async fn plain_requests_on_one_connection_are_answered_in_turn() {
    let server = Running::start(ServerLimits::default()).await;
    let last = "GET /last HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    let first = "POST /first HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\nabc";
    let answers = server.say(format!("{first}{HIDDEN}{last}")).await;
    assert_eq!(answers.matches("HTTP/1.1 200").count(), 3, "{answers}");
    assert_eq!(server.seen(), ["POST /first 3", "GET /hidden 0", "GET /last 0"]);
}

#[tokio::test]
async fn a_chunked_body_is_read_and_ends_its_connection() {
    let server = Running::start(ServerLimits::default()).await;
    let request = format!(
        "POST /outer HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n{HIDDEN}"
    );
    let answer = server.say(request).await;
    assert!(answer.contains("connection: close") && answer.ends_with("abc"), "{answer}");
    assert_eq!(server.seen(), ["POST /outer 3"]);
}

#[tokio::test]
async fn other_protocols_are_answered_by_the_end_of_the_connection() {
    let server = Running::start(ServerLimits::default()).await;
    for start in [
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "\x16\x03\x01\x02\x00",
        "EHLO a\r\n",
        "\0\0\0\0",
        "GET /\r\n\r\n",
    ] {
        let mut bytes = start.as_bytes().to_vec();
        bytes.extend([0; 64]);
        let answer = server.say(&bytes).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{start:?} {answer}");
    }
    assert!(server.seen().is_empty());
}
