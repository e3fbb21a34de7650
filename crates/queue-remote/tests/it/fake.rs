//! A server that answers the opening of a handle as a true one does, and everything after that as a
//! test says.

use crate::common::server::ELSEWHERE;
use std::{io, net::SocketAddr};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::{AbortHandle, JoinSet},
};

/// What happens to a connection after the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Close,
    /// Nothing more is sent, and it stays open.
    Hang,
}

/// What is sent in place of an answer; `{contract}` in it becomes that of the client.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) answer: Vec<u8>,
    pub(crate) end: End,
    /// Whether the opening is answered so too.
    pub(crate) from_the_start: bool,
}

#[derive(Debug)]
pub(crate) struct FakeServer {
    pub(crate) address: SocketAddr,
    accepting: AbortHandle,
}

impl FakeServer {
    /// Passes openings on to a true server.
    pub(crate) async fn start(real: SocketAddr, script: Script) -> Self {
        let bound = ELSEWHERE.spawn(TcpListener::bind("127.0.0.1:0")).await.expect("it runs");
        let listener = bound.expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let accepting = ELSEWHERE.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let script = script.clone();
                connections.spawn(async move { drop(converse(stream, real, script).await) });
            }
        });
        Self { address, accepting: accepting.abort_handle() }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }
}

impl Drop for FakeServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn converse(mut client: TcpStream, real: SocketAddr, script: Script) -> io::Result<()> {
    loop {
        let request = read_message(&mut client).await?;
        let head = String::from_utf8_lossy(&request).into_owned();
        if head.starts_with("POST /store/v1/open ") && !script.from_the_start {
            let mut server = TcpStream::connect(real).await?;
            server.write_all(&request).await?;
            client.write_all(&read_message(&mut server).await?).await?;
            continue;
        }
        let answer = String::from_utf8_lossy(&script.answer).contains("{contract}");
        let bytes = if answer {
            let contract = header(&head, "queue-contract").unwrap_or_default();
            replaced(&script.answer, b"{contract}", contract.as_bytes())
        } else {
            script.answer.clone()
        };
        client.write_all(&bytes).await?;
        if script.end == End::Close {
            return client.shutdown().await;
        }
        std::future::pending::<()>().await;
    }
}

fn replaced(text: &[u8], word: &[u8], by: &[u8]) -> Vec<u8> {
    match text.windows(word.len()).position(|window| window == word) {
        Some(at) => [&text[..at], by, &text[at + word.len()..]].concat(),
        None => text.to_vec(),
    }
}

/// A head and a body of the length that the head says.
pub(crate) async fn read_message(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut message = Vec::new();
    loop {
        let mut piece = [0; 4096];
        let len = stream.read(&mut piece).await?;
        if len == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        message.extend_from_slice(&piece[..len]);
        let Some(end) = message.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&message[..end]).into_owned();
        let body: usize = header(&head, "content-length").and_then(|len| len.parse().ok()).unwrap_or(0);
        if message.len() >= end + 4 + body {
            return Ok(message);
        }
    }
}

fn header(head: &str, name: &str) -> Option<String> {
    head.lines().find_map(|line| {
        let (found, value) = line.split_once(':')?;
        found.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
    })
}
