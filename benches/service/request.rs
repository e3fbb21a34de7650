//! A client as cheap as can be, so that the server is what is measured: one kept connection, and
//! requests written by hand.

use anyhow::{Context as _, bail};
use serde_json::value::RawValue;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Bytes of a read, at least.
const PART: usize = 16 << 10;

pub(crate) struct HttpConnection {
    stream: TcpStream,
    token: String,
    read: Vec<u8>,
}

/// What a claim answers, as far as a worker needs it.
#[derive(serde::Deserialize)]
pub(crate) struct ClaimAnswer<'a> {
    #[serde(borrow)]
    pub(crate) jobs: Vec<HeldJob<'a>>,
}

#[derive(serde::Deserialize)]
pub(crate) struct HeldJob<'a> {
    #[serde(borrow)]
    pub(crate) receipt: &'a RawValue,
}

impl HttpConnection {
    pub(crate) async fn open(address: &str, token: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, token: token.to_owned(), read: Vec::new() })
    }

    /// Sends a request and reads the body of its answer.
    pub(crate) async fn post(&mut self, path: &str, body: &str) -> anyhow::Result<&str> {
        self.send(path, body).await?;
        self.answer().await
    }

    pub(crate) async fn send(&mut self, path: &str, body: &str) -> anyhow::Result<()> {
        let (token, len) = (&self.token, body.len());
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\ncontent-length: {len}\r\n\r\n{body}"
        );
        Ok(self.stream.write_all(request.as_bytes()).await?)
    }

    pub(crate) async fn answer(&mut self) -> anyhow::Result<&str> {
        self.read.clear();
        loop {
            if let Some(body) = whole(&self.read)? {
                return Ok(std::str::from_utf8(&self.read[body..])?);
            }
            self.read.reserve(PART);
            if self.stream.read_buf(&mut self.read).await? == 0 {
                bail!("the server closed the connection");
            }
        }
    }
}

/// Where the body begins, once the answer is there to its end.
fn whole(read: &[u8]) -> anyhow::Result<Option<usize>> {
    let Some(end) = read.windows(4).position(|window| window == b"\r\n\r\n") else { return Ok(None) };
    let head = std::str::from_utf8(&read[..end])?.to_ascii_lowercase();
    if !head.starts_with("http/1.1 20") {
        bail!("the server answers {}", String::from_utf8_lossy(read));
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let length: usize = length.context("the answer has no length")?.trim().parse()?;
    Ok((read.len() >= end + 4 + length).then_some(end + 4))
}
