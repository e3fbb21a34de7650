//! Tabs of a browser as the script of the dashboard makes them: a stream of changes, and the page
//! again for each, at most once a second.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{Instant, sleep_until},
};

/// Between two reads of a page.
const PAUSE: Duration = Duration::from_secs(1);
const TOLD: &[u8] = b"event: changed";

/// A tab on a page, until it is dropped. It counts the pages that it reads.
pub(crate) async fn open(
    address: String,
    page: &'static str,
    changes: &'static str,
    pages: Arc<AtomicU64>,
) -> anyhow::Result<()> {
    let mut stream = ask(&address, changes).await?;
    let mut part = [0; 4096];
    let mut last = Instant::now();
    read(&address, page, &pages).await?;
    loop {
        let length = stream.read(&mut part).await?;
        anyhow::ensure!(length > 0, "the stream of {page} ended");
        if !part[..length].windows(TOLD.len()).any(|words| words == TOLD) {
            continue;
        }
        sleep_until(last + PAUSE).await;
        last = Instant::now();
        read(&address, page, &pages).await?;
    }
}

async fn read(address: &str, page: &str, pages: &AtomicU64) -> anyhow::Result<()> {
    let mut answer = Vec::new();
    ask(address, page).await?.read_to_end(&mut answer).await?;
    anyhow::ensure!(answer.starts_with(b"HTTP/1.1 200"), "{page}: {}", String::from_utf8_lossy(&answer));
    pages.fetch_add(1, Ordering::Relaxed);
    Ok(())
}

async fn ask(address: &str, path: &str) -> anyhow::Result<TcpStream> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    Ok(stream)
}
