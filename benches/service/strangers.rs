//! What others cost a good token: its enqueues alone, and beside connections that promise bytes,
//! wait or listen.

use crate::{
    figures::{Seen, float, now},
    load::Load,
    over_http,
    request::HttpConnection,
    server::ServerProcess,
    store::ServedStore,
};
use std::{fmt, time::Duration};
use tokio::{io::AsyncWriteExt, net::TcpStream, task::JoinSet};

/// Alone and beside take turns, so that a machine that gets slower meanwhile does so for both.
const ROUNDS: usize = 3;
/// Of the good token: few, since what is measured is how long one waits, and not a full server.
const CALLERS: usize = 4;
/// The longest body that is taken.
const PROMISED: usize = 8 << 20;

/// Connections that are open meanwhile.
#[derive(Clone, Copy, Debug)]
enum Crowd {
    /// Of strangers: they promise a body to a call that is open to all, and send nothing of it.
    Strangers(usize),
    /// Of a token that may work: claims that promise a body, and send nothing of it.
    Promises(usize),
    /// Of a token that may work: claims in bodies of unknown length, which wait for jobs.
    Claims(usize),
    /// Of a token that may look: streams of events.
    Streams(usize),
}

impl Crowd {
    const ALL: [Self; 5] = [
        Self::Strangers(80),
        Self::Strangers(1_000),
        Self::Promises(33),
        Self::Claims(100),
        Self::Streams(64),
    ];

    const fn len(self) -> usize {
        match self {
            Self::Strangers(count) | Self::Promises(count) | Self::Claims(count) | Self::Streams(count) => {
                count
            }
        }
    }

    /// What each of them sends.
    fn request(self, number: usize, token: &str) -> String {
        let bearer = format!("host: localhost\r\nauthorization: Bearer {token}");
        match self {
            Self::Strangers(_) => {
                format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\ncontent-length: {PROMISED}\r\n\r\n")
            }
            Self::Promises(_) => {
                format!(
                    "POST /v1/queues/guest/claim HTTP/1.1\r\n{bearer}\r\ncontent-type: application/json\r\ncontent-length: {PROMISED}\r\n\r\n"
                )
            }
            Self::Claims(_) => {
                let claim = format!(r#"{{"worker":"g{number}","claim_id":"{number:032x}","wait_ms":60000}}"#);
                format!(
                    "POST /v1/queues/guest/claim HTTP/1.1\r\n{bearer}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{claim}\r\n0\r\n\r\n",
                    claim.len()
                )
            }
            Self::Streams(_) => format!("GET /v1/queues/guest/events HTTP/1.1\r\n{bearer}\r\n\r\n"),
        }
    }

    /// Opens the connections. The service may end some at once: then they cost nothing more.
    async fn gather(self, server: &ServerProcess) -> anyhow::Result<Vec<TcpStream>> {
        let mut open = Vec::with_capacity(self.len());
        for number in 0..self.len() {
            let mut stream = TcpStream::connect(&server.address).await?;
            drop(stream.write_all(self.request(number, &server.guest).as_bytes()).await);
            open.push(stream);
        }
        Ok(open)
    }
}

impl fmt::Display for Crowd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Strangers(count) => write!(f, "{count} strangers that promise 8 MiB"),
            Self::Promises(count) => write!(f, "{count} bodies of 8 MiB that a token promises"),
            Self::Claims(count) => write!(f, "{count} waiting claims in chunked bodies"),
            Self::Streams(count) => write!(f, "{count} streams of events"),
        }
    }
}

pub(crate) async fn measure(stores: &[ServedStore], lasts: Duration) -> anyhow::Result<()> {
    println!("\n| store | enqueues of a token beside | p50 alone | beside | p99 alone | beside | times |");
    println!("|---|---|---:|---:|---:|---:|---:|");
    for store in stores.iter().filter(|store| store.is_reachable()) {
        let folder = tempfile::tempdir()?;
        let server = ServerProcess::start(&store.url(folder.path()), folder.path()).await?;
        let mut callers = 0..;
        for crowd in Crowd::ALL {
            let (mut alone, mut beside) = (Seen::new(), Seen::new());
            for _ in 0..ROUNDS {
                alone.add(&enqueues(&server, &mut callers, lasts).await?);
                let open = crowd.gather(&server).await?;
                beside.add(&enqueues(&server, &mut callers, lasts).await?);
                drop(open);
            }
            let at = |seen: &Seen, quantile| float(seen.rounds.value_at_quantile(quantile)) / 1000.0;
            let [p50, p50_beside] = [&alone, &beside].map(|seen| at(seen, 0.5));
            let [p99, p99_beside] = [&alone, &beside].map(|seen| at(seen, 0.99));
            let times = p99_beside / p99;
            println!(
                "| {store} | {crowd} | {p50:.2} ms | {p50_beside:.2} ms | {p99:.2} ms | {p99_beside:.2} ms | {times:.2} |"
            );
        }
    }
    Ok(())
}

/// Each caller has a number that no other has had, and so ids of its own.
async fn enqueues(
    server: &ServerProcess,
    numbers: &mut impl Iterator<Item = usize>,
    lasts: Duration,
) -> anyhow::Result<Seen> {
    let until = now() + lasts;
    let mut callers = JoinSet::new();
    for number in numbers.take(CALLERS) {
        let connection = HttpConnection::open(&server.address, &server.token).await?;
        let queue = over_http::queue_name(Load::EnqueueOne);
        callers.spawn(over_http::call(connection, Load::EnqueueOne, queue, number, until));
    }
    let mut seen = Seen::new();
    while let Some(caller) = callers.join_next().await {
        seen.add(&caller??);
    }
    Ok(seen)
}
