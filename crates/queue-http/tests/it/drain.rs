//! The end of a server.

use crate::server::{PATIENCE, Running, read_until};
use queue_http::ServerLimits;
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

const WAIT: &[u8] = b"POST /wait HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n";

#[tokio::test]
async fn a_stop_answers_waits_ends_idle_connections_and_takes_no_more() {
    let mut server = Running::start(ServerLimits::default()).await;
    let mut idle = server.connect().await;
    idle.write_all(b"GET /a HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
    read_until(&mut idle, "\r\n\r\n").await;
    let mut waits = server.connect().await;
    waits.write_all(WAIT).await.unwrap();
    timeout(PATIENCE, server.waiting.recv()).await.unwrap().unwrap();

    assert!(server.lifecycle.is_ready());
    server.lifecycle.stop();
    assert!(!server.lifecycle.is_ready());
    let answer = crate::server::say(&mut waits, "").await;
    assert!(answer.ends_with("no jobs") && answer.contains("connection: close"), "{answer}");
    assert_eq!(idle.read(&mut [0; 8]).await.unwrap(), 0);
    assert_eq!(server.ended().await, 0);
    assert!(TcpStream::connect(server.address).await.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn a_server_that_is_not_ready_is_still_reached_until_its_delay_has_passed() {
    let mut limits = ServerLimits::default();
    limits.drain_delay = PATIENCE * 10;
    let mut server = Running::start(limits).await;
    server.lifecycle.stop();
    let mut client = server.connect().await;
    client.write_all(b"GET /late HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
    read_until(&mut client, "200").await;
    assert!(!server.lifecycle.is_closing());
    // A second stop waits for nothing.
    server.lifecycle.abort();
    server.ended().await;
}

#[tokio::test]
async fn what_does_not_end_in_time_is_cut() {
    let mut limits = ServerLimits::default();
    limits.drain_timeout = Duration::from_millis(50);
    let mut server = Running::start(limits).await;
    let mut stuck = server.connect().await;
    stuck.write_all(b"POST /a HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nab").await.unwrap();
    // The server has read the head once it waits for the rest.
    let mut other = server.connect().await;
    other.write_all(b"GET /b HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
    read_until(&mut other, "200").await;
    server.lifecycle.stop();
    server.ended().await;
    let mut rest = Vec::new();
    let _ = timeout(PATIENCE, stuck.read_to_end(&mut rest)).await.expect("the connection is cut");
    assert!(!String::from_utf8_lossy(&rest).contains("200"));
}

#[tokio::test]
async fn a_dropped_server_leaves_no_connection_behind() {
    let mut server = Running::start(ServerLimits::default()).await;
    let mut waits = server.connect().await;
    waits.write_all(WAIT).await.unwrap();
    timeout(PATIENCE, server.waiting.recv()).await.unwrap().unwrap();
    drop(server);
    let mut rest = Vec::new();
    let read = timeout(PATIENCE, waits.read_to_end(&mut rest)).await.expect("the connection ends");
    assert!(read.is_err() || rest.is_empty() || String::from_utf8_lossy(&rest).contains("no jobs"));
}
