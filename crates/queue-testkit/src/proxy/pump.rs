//! Moves bytes in one direction.

use bytes::{Bytes, BytesMut};
use std::io;
use std::num::NonZeroU64;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::wire::Wire;

const CHUNK_BYTES: usize = 16 * 1_024;
/// The most chunks under way at once; the sender waits while there are more.
const CHUNKS_MAX: usize = 64;

/// What to do with a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChunkFate {
    Pass {
        delay: Duration,
        /// The rate limit of the wire in bytes per second, if it has one.
        rate: Option<NonZeroU64>,
    },
    Vanish,
    /// The connection is cut.
    Cut,
}

/// Moves bytes until the sender has finished, and passes the end on as well. An error ends the
/// connection.
pub(super) async fn pump(
    from: OwnedReadHalf,
    to: OwnedWriteHalf,
    wire: &Wire,
    judge: impl FnMut(&[u8]) -> ChunkFate,
) -> io::Result<()> {
    let (sender, receiver) = mpsc::channel(CHUNKS_MAX);
    tokio::try_join!(take(from, sender, judge), deliver(receiver, wire, to)).map(drop)
}

/// A chunk under way.
struct ChunkInFlight {
    chunk: Bytes,
    /// The time of delivery; `None` for at once.
    at: Option<Instant>,
    rate: Option<NonZeroU64>,
}

async fn take(
    mut from: OwnedReadHalf,
    under_way: mpsc::Sender<ChunkInFlight>,
    mut judge: impl FnMut(&[u8]) -> ChunkFate,
) -> io::Result<()> {
    loop {
        let mut chunk = BytesMut::with_capacity(CHUNK_BYTES);
        if from.read_buf(&mut chunk).await? == 0 {
            return Ok(());
        }
        let due = match judge(&chunk) {
            ChunkFate::Cut => return Err(io::ErrorKind::ConnectionAborted.into()),
            ChunkFate::Vanish => continue,
            ChunkFate::Pass { delay, rate } => {
                let at = (!delay.is_zero()).then(|| Instant::now() + delay);
                ChunkInFlight { chunk: chunk.freeze(), at, rate }
            }
        };
        if under_way.send(due).await.is_err() {
            return Ok(());
        }
    }
}

async fn deliver(
    mut under_way: mpsc::Receiver<ChunkInFlight>,
    wire: &Wire,
    mut to: OwnedWriteHalf,
) -> io::Result<()> {
    while let Some(ChunkInFlight { chunk, at, rate }) = under_way.recv().await {
        if let Some(at) = at {
            sleep_until(at).await;
        }
        // A connection takes a turn per chunk, so that one with much traffic leaves room for the
        // others.
        if let Some(rate) = rate {
            wire.carry(chunk.len(), rate).await;
        }
        to.write_all(&chunk).await?;
    }
    // Dropping this half lets the receiver know that nothing more comes.
    Ok(())
}
