//! Bytes on their way in one direction.

use bytes::{Bytes, BytesMut};
use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

const CHUNK_BYTES: usize = 16 * 1_024;
/// Chunks under way at once; the sender waits while there are more.
const CHUNKS_MAX: usize = 64;

/// What becomes of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Pass {
        delay: Duration,
    },
    Vanish,
    /// The connection ends here.
    Cut,
}

/// Moves bytes until the sender has said everything, which is then passed on as well. An error ends the connection.
pub(super) async fn pump(
    from: OwnedReadHalf,
    to: OwnedWriteHalf,
    judge: impl FnMut(&[u8]) -> Verdict,
) -> io::Result<()> {
    let (sender, receiver) = mpsc::channel(CHUNKS_MAX);
    tokio::try_join!(take(from, sender, judge), deliver(receiver, to)).map(drop)
}

/// A chunk, and when to deliver it where that is not at once.
type Due = (Bytes, Option<Instant>);

async fn take(
    mut from: OwnedReadHalf,
    under_way: mpsc::Sender<Due>,
    mut judge: impl FnMut(&[u8]) -> Verdict,
) -> io::Result<()> {
    loop {
        let mut chunk = BytesMut::with_capacity(CHUNK_BYTES);
        if from.read_buf(&mut chunk).await? == 0 {
            return Ok(());
        }
        let due = match judge(&chunk) {
            Verdict::Cut => return Err(io::ErrorKind::ConnectionAborted.into()),
            Verdict::Vanish => continue,
            Verdict::Pass { delay } => (!delay.is_zero()).then(|| Instant::now() + delay),
        };
        if under_way.send((chunk.freeze(), due)).await.is_err() {
            return Ok(());
        }
    }
}

async fn deliver(mut under_way: mpsc::Receiver<Due>, mut to: OwnedWriteHalf) -> io::Result<()> {
    while let Some((chunk, due)) = under_way.recv().await {
        if let Some(due) = due {
            sleep_until(due).await;
        }
        to.write_all(&chunk).await?;
    }
    // Dropped, this half says that nothing more comes.
    Ok(())
}
