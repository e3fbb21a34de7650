//! Clients that hold on to connections, and heads that are too large.

use crate::server::{PATIENCE, Running, read_until, say};
use queue_http::ServerLimits;
use std::time::Duration;
use tokio::{io::AsyncWriteExt, time::timeout};

/// Short, so that the tests are.
const SOON: Duration = Duration::from_millis(200);

fn limits(change: impl FnOnce(&mut ServerLimits)) -> ServerLimits {
    let mut limits = ServerLimits::default();
    change(&mut limits);
    limits
}

#[tokio::test]
async fn a_head_that_does_not_come_closes_the_connection() {
    let server = Running::start(limits(|limits| limits.header_timeout = SOON)).await;
    for start in ["", "G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nhost: a\r\nx: "] {
        assert!(!server.say(start).await.contains("200"), "{start:?}");
    }
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn a_head_that_comes_byte_by_byte_does_not_win_time() {
    let server = Running::start(limits(|limits| limits.header_timeout = SOON)).await;
    let mut stream = server.connect().await;
    stream.write_all(b"GET / HTTP/1.1\r\nhost: a\r\nx: ").await.unwrap();
    let drip = async {
        while stream.write_all(b"x").await.is_ok() {
            tokio::time::sleep(SOON / 20).await;
        }
    };
    timeout(PATIENCE, drip).await.expect("the server closes the connection");
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn an_idle_connection_is_closed_after_its_last_answer_too() {
    // Its head must come before the end of the first such time, also on a machine that is busy.
    let server = Running::start(limits(|limits| limits.header_timeout = 10 * SOON)).await;
    let answer = server.say("GET /a HTTP/1.1\r\nhost: a\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(server.seen(), ["GET /a 0"]);
}

#[tokio::test]
async fn heads_that_are_too_large_are_refused_before_any_handler() {
    let server = Running::start(ServerLimits::default()).await;
    let many = "x: y\r\n".repeat(100);
    let long = format!("x: {}\r\n", "y".repeat(20_000));
    for (headers, path) in [(many.as_str(), "/"), (&long, "/"), ("", &format!("/{}", "y".repeat(20_000)))] {
        let answer = server.say(format!("GET {path} HTTP/1.1\r\nhost: a\r\n{headers}\r\n")).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
    }
    let endless = "x: y\r\n".repeat(1 << 20);
    let answer = server.say(format!("GET / HTTP/1.1\r\nhost: a\r\n{endless}")).await;
    assert!(!answer.contains("200"), "{answer}");
    assert!(server.seen().is_empty(), "{:?}", server.seen());
}

#[tokio::test]
async fn a_client_that_never_reads_is_cut() {
    let mut server = Running::start(limits(|limits| limits.write_timeout = SOON)).await;
    let mut stream = server.connect().await;
    stream.write_all(b"GET /large HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
    // The lowest bytes come, the rest never does: the answer is larger than the system's buffers.
    read_until(&mut stream, "200").await;
    let held = timeout(PATIENCE, async { while !stream_is_cut(&mut stream).await {} });
    held.await.expect("the server gives the connection up");
    server.lifecycle.stop();
    assert_eq!(server.ended().await, 0);
}

/// Whether the other end has closed, checked without reading what it sent.
async fn stream_is_cut(stream: &mut tokio::net::TcpStream) -> bool {
    tokio::time::sleep(SOON / 4).await;
    stream.write_all(b"x").await.is_err()
}

#[tokio::test]
async fn a_client_that_goes_away_takes_its_request_with_it() {
    let mut server = Running::start(ServerLimits::default()).await;
    let request = b"POST /wait HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n";
    // Gone altogether, and with only its own side closed: no answer would be read by a worker that
    // was killed, and jobs that it was given would be held for nothing.
    for is_half in [false, true] {
        let mut stream = server.connect().await;
        stream.write_all(request).await.unwrap();
        timeout(PATIENCE, server.waiting.recv()).await.unwrap().unwrap();
        if is_half {
            stream.shutdown().await.unwrap();
        } else {
            drop(stream);
        }
        timeout(PATIENCE, server.vanished.recv()).await.expect("the handler is dropped").unwrap();
    }
}

#[tokio::test]
async fn connections_beyond_the_limit_wait_for_a_place() {
    let mut server = Running::start(limits(|limits| limits.connections_max = 2)).await;
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut stream = server.connect().await;
        stream.write_all(b"POST /wait HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        timeout(PATIENCE, server.waiting.recv()).await.unwrap().unwrap();
        held.push(stream);
    }
    let mut third = server.connect().await;
    third.write_all(b"GET /third HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
    // Only the end of another connection lets it in.
    assert!(server.seen().is_empty());
    drop(held.pop());
    read_until(&mut third, "200").await;
    assert_eq!(server.seen(), ["GET /third 0"]);
}

#[tokio::test]
async fn an_answer_reaches_a_client_that_is_still_sending() {
    let server = Running::start(ServerLimits::default()).await;
    // The server answers a bad head while the client still sends its body.
    let request = format!("GET / HTTP/1.1\r\nhost: a\r\nx y\r\n\r\n{}", "z".repeat(500_000));
    let answer = say(server.connect().await, request).await;
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer:?}");
}

#[tokio::test]
async fn hundreds_of_idle_connections_leave_the_server_able_to_answer() {
    let server = Running::start(ServerLimits::default()).await;
    let mut idle = Vec::new();
    // Few enough for the limit of open files that a system has by default.
    for _ in 0..200 {
        idle.push(server.connect().await);
    }
    let mut one = server.connect().await;
    one.write_all(b"GET /still HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
    read_until(&mut one, "200").await;
    let mut nothing = [0];
    assert!(idle[0].try_read(&mut nothing).is_err(), "nothing was answered to what was not asked");
}
