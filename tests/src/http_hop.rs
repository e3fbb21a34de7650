//! What proxies of tests know of HTTP: whole requests, and answers of their own.

use std::io;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// A request with its body, as it came.
#[derive(Debug)]
pub struct WholeRequest(Vec<u8>);

impl WholeRequest {
    /// Reads one; its body must have a `content-length`, or be absent.
    ///
    /// # Errors
    /// The connection broke before its end.
    pub async fn read(client: &mut TcpStream) -> io::Result<Self> {
        let (mut read, mut part) = (Vec::new(), vec![0; 16 << 10]);
        loop {
            if let Some(end) = read.windows(4).position(|window| window == b"\r\n\r\n") {
                let head = String::from_utf8_lossy(&read[..end]).to_ascii_lowercase();
                let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
                let length: usize = length.and_then(|length| length.trim().parse().ok()).unwrap_or(0);
                if read.len() >= end + 4 + length {
                    return Ok(Self(read));
                }
            }
            match client.read(&mut part).await? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => read.extend_from_slice(&part[..count]),
            }
        }
    }

    /// The path of its first line.
    pub fn path(&self) -> String {
        let end = self.0.iter().position(|byte| *byte == b'\r').unwrap_or(self.0.len());
        let line = String::from_utf8_lossy(&self.0[..end]);
        line.split(' ').nth(1).unwrap_or_default().to_owned()
    }

    /// Sends it on over a connection of its own, which the server closes behind the answer.
    ///
    /// # Errors
    /// The server cannot be reached.
    pub async fn forward(&self, server: &str) -> io::Result<TcpStream> {
        let mut upstream = TcpStream::connect(server).await?;
        let end = self.0.windows(2).position(|window| window == b"\r\n").expect("a line ends");
        let closing = [&self.0[..end], b"\r\nconnection: close", &self.0[end..]].concat();
        upstream.write_all(&closing).await?;
        Ok(upstream)
    }
}

/// An answer of the proxy's own, behind which it closes the connection.
pub fn foreign_answer(status: u64, content_type: &str, body: &str) -> String {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} A\r\ncontent-type: {content_type}\r\nconnection: close\r\ncontent-length: {length}"
    );
    format!("{head}\r\n\r\n{body}")
}
