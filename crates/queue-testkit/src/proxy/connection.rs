//! A client's connection to the proxy, and the proxy's connection to the server for it.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::net::TcpStream;
use tokio::sync::watch;

use super::counts::Counts;
use super::pump::{ChunkFate, pump};
use super::traffic::Traffic;
use super::wire::Wire;

/// The state that all connections of a proxy share.
#[derive(Clone, Debug)]
pub(super) struct ProxyState {
    pub(super) server: SocketAddr,
    pub(super) traffic: watch::Receiver<Traffic>,
    pub(super) counts: watch::Sender<Counts>,
    pub(super) wires: Arc<Wires>,
}

/// The wires that all connections share where their rate has a limit.
#[derive(Debug, Default)]
pub(super) struct Wires {
    to_server: Wire,
    to_client: Wire,
}

/// Carries bytes until both sides have finished, or the connection breaks. An unreachable server
/// ends it at once.
pub(super) async fn carry(client: TcpStream, line: ProxyState) {
    // The client sees its connection end; the reason of either side is of no use to the proxy.
    drop(try_carry(client, line).await);
}

async fn try_carry(client: TcpStream, line: ProxyState) -> io::Result<()> {
    let server = TcpStream::connect(line.server).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    let is_asked = Arc::new(AtomicBool::new(false));
    let wires = line.wires.clone();
    let mut requests =
        Requests { traffic: line.traffic.clone(), is_asked: is_asked.clone(), tail: Vec::new() };
    let mut replies = Replies { line, is_asked, is_silent: false };
    let to_server = pump(from_client, to_server, &wires.to_server, move |chunk| requests.judge(chunk));
    let to_client = pump(from_server, to_client, &wires.to_client, move |chunk| replies.judge(chunk));
    tokio::try_join!(to_server, to_client).map(drop)
}

/// Searches for the request whose reply is to be withheld.
#[derive(Debug)]
struct Requests {
    traffic: watch::Receiver<Traffic>,
    is_asked: Arc<AtomicBool>,
    /// The end of the previous chunk: the bytes searched for may be split over two chunks.
    tail: Vec<u8>,
}

impl Requests {
    fn judge(&mut self, chunk: &[u8]) -> ChunkFate {
        let traffic = self.traffic.borrow();
        if let Traffic::CutBeforeReply(wanted) = &*traffic {
            self.tail.extend_from_slice(chunk);
            if contains(&self.tail, wanted) {
                self.is_asked.store(true, Ordering::SeqCst);
            }
            let keep = wanted.len().saturating_sub(1).min(self.tail.len());
            self.tail.drain(..self.tail.len() - keep);
        } else {
            self.is_asked.store(false, Ordering::SeqCst);
            self.tail.clear();
        }
        ChunkFate::Pass { delay: traffic.delay(), rate: traffic.rates().to_server }
    }
}

fn contains(text: &[u8], wanted: &[u8]) -> bool {
    wanted.is_empty() || text.windows(wanted.len()).any(|part| part == wanted)
}

#[derive(Debug)]
struct Replies {
    line: ProxyState,
    is_asked: Arc<AtomicBool>,
    /// A chunk has been dropped, so nothing may follow it.
    is_silent: bool,
}

impl Replies {
    fn judge(&mut self, _chunk: &[u8]) -> ChunkFate {
        let traffic = self.line.traffic.borrow();
        self.is_silent |= *traffic == Traffic::Silence;
        if self.is_silent {
            self.line.counts.send_modify(|counts| counts.silenced += 1);
            return ChunkFate::Vanish;
        }
        if matches!(*traffic, Traffic::CutBeforeReply(_)) && self.is_asked.load(Ordering::SeqCst) {
            self.line.counts.send_modify(|counts| counts.withheld += 1);
            return ChunkFate::Cut;
        }
        ChunkFate::Pass { delay: traffic.delay(), rate: traffic.rates().to_client }
    }
}

#[cfg(test)]
mod tests {
    use super::{AtomicBool, Ordering, Requests, Traffic, contains, watch};
    use bytes::Bytes;
    use std::sync::Arc;

    #[test]
    fn nothing_is_contained_in_everything() {
        assert!(contains(b"", b"") && contains(b"abc", b"") && contains(b"abc", b"bc"));
        assert!(!contains(b"abc", b"cb") && !contains(b"a", b"ab"));
    }

    #[test]
    fn what_is_looked_for_may_come_in_pieces() {
        let (set, traffic) = watch::channel(Traffic::CutBeforeReply(Bytes::from_static(b"COMMIT")));
        let is_asked = Arc::new(AtomicBool::new(false));
        let mut requests = Requests { traffic, is_asked: is_asked.clone(), tail: Vec::new() };
        for (chunk, expected) in [("BEGIN; CO", false), ("MM", false), ("IT;", true)] {
            requests.judge(chunk.as_bytes());
            assert_eq!(is_asked.load(Ordering::SeqCst), expected, "after {chunk:?}");
        }
        assert!(requests.tail.len() < "COMMIT".len(), "no more is kept than is needed");
        requests.judge(b"CO");
        set.send_replace(Traffic::Pass);
        requests.judge(b"SELECT 1;");
        assert!(!is_asked.load(Ordering::SeqCst), "a later request is another one");
        set.send_replace(Traffic::CutBeforeReply(Bytes::from_static(b"COMMIT")));
        requests.judge(b"MMIT");
        assert!(!is_asked.load(Ordering::SeqCst), "something else came between its halves");
    }
}
