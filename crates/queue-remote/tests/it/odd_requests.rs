//! Requests that no handle sends: by web pages, other programs and those who want in. None reaches
//! the store, and the server serves on.

use crate::{
    fake::read_message,
    jobs::{put, served},
};
use std::net::SocketAddr;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// The contract of this build, as a server answers it to every caller.
async fn contract(server: SocketAddr) -> String {
    let answer = asked(server, "POST /store/v1/open HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n").await;
    let (_, rest) = answer.split_once("queue-contract: ").expect("it names its contract");
    rest.lines().next().expect("a line").to_owned()
}

/// The answer to bytes on a connection of their own.
async fn asked(server: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(server).await.expect("it listens");
    stream.write_all(request.as_bytes()).await.expect("it reads");
    String::from_utf8_lossy(&read_message(&mut stream).await.expect("it answers")).into_owned()
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

#[tokio::test]
async fn what_is_no_call_of_this_build_is_refused() {
    let (_store, server, remote) = served().await;
    let contract = contract(server.address).await;
    let of_build = format!("host: a\r\nqueue-contract: {contract}\r\n");
    let of_store = format!("{of_build}content-type: application/vnd.queue.store\r\n");
    for (request, expected) in [
        (format!("GET /store/v1/open HTTP/1.1\r\n{of_store}\r\n"), "405"),
        ("POST /store/v1/open HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n".to_owned(), "412"),
        (
            format!(
                "POST /store/v1/open HTTP/1.1\r\n{of_store}queue-contract: 0\r\ncontent-length: 1\r\n\r\n\u{1}"
            ),
            "200",
        ),
        (
            format!(
                "POST /store/v1/open HTTP/1.1\r\n{of_build}content-type: text/plain\r\ncontent-length: 0\r\n\r\n"
            ),
            "415",
        ),
        (format!("POST /store/v1/open HTTP/1.1\r\n{of_build}content-length: 0\r\n\r\n"), "415"),
        (format!("POST /store/v1/shutdown HTTP/1.1\r\n{of_store}content-length: 1\r\n\r\n\u{1}"), "404"),
        (format!("POST / HTTP/1.1\r\n{of_store}content-length: 1\r\n\r\n\u{1}"), "404"),
        (format!("POST /store/v1/enqueue HTTP/1.1\r\n{of_store}content-length: 3\r\n\r\nabc"), "400"),
        (format!("POST /store/v1/enqueue HTTP/1.1\r\n{of_store}content-length: 0\r\n\r\n"), "400"),
        (
            format!("POST /store/v1/enqueue HTTP/1.1\r\n{of_store}content-length: 99999999999\r\n\r\nabc"),
            "413",
        ),
    ] {
        assert_eq!(status(&asked(server.address, &request).await), expected, "{request}");
    }
    put(&remote, "a").await.expect("it serves on");
}

#[tokio::test]
async fn a_request_that_ends_too_early_reaches_no_store() {
    let (store, server, remote) = served().await;
    let contract = contract(server.address).await;
    let head = format!(
        "POST /store/v1/prune HTTP/1.1\r\nhost: a\r\nqueue-contract: {contract}\r\n\
         content-type: application/vnd.queue.store\r\ncontent-length: 100\r\n\r\n\u{1}\u{1}q\u{2}\u{5}"
    );
    put(&remote, "kept").await.expect("it is taken");
    // At its end stands a whole call that removes everything, in a body that says it is longer.
    for end in (0..head.len()).step_by(7).chain([head.len()]) {
        let mut stream = TcpStream::connect(server.address).await.expect("it listens");
        stream.write_all(&head.as_bytes()[..end]).await.expect("it reads");
        stream.shutdown().await.expect("it is open");
        let mut rest = Vec::new();
        // It gets an answer that says so, or nothing.
        drop(stream.read_to_end(&mut rest).await);
        assert!(!String::from_utf8_lossy(&rest).starts_with("HTTP/1.1 200"), "cut at {end}");
    }
    put(&remote, "a").await.expect("it serves on");
    assert!(!put(&*store, "kept").await.expect("so does the store").is_new(), "nothing was removed");
}
