//! A proxy that answers one call in so many with a page of its own, in turn before and after the
//! server has carried the call out.

use crate::failed::Failed;
use parking_lot::Mutex;
use queue_e2e::{WholeRequest, foreign_answer};
use serde::Deserialize;
use std::{io, net::SocketAddr, sync::Arc};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

/// The same pages as in the scenarios of the clients.
const SPEC: &str = include_str!("../../../../../clients/spec/scenarios.json");

/// A proxy until it is dropped.
pub(super) struct PageProxy {
    pub(super) address: SocketAddr,
    shared: Arc<Shared>,
    _serving: JoinSet<()>,
}

/// What it did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ProxyCounts {
    pub(super) calls: u64,
    /// Pages in place of a call.
    pub(super) before: u64,
    /// Pages in place of the answer to a call that was carried out.
    pub(super) after: u64,
}

struct Shared {
    server: String,
    one_in: u64,
    pages: Vec<String>,
    counts: Mutex<ProxyCounts>,
}

#[derive(Deserialize)]
struct Spec {
    foreign: Vec<Page>,
}

#[derive(Deserialize)]
struct Page {
    status: u64,
    content_type: String,
    body_text: String,
}

/// What happens to a call.
enum Fate {
    Passes,
    Replaced(String),
    Unanswered(String),
}

impl PageProxy {
    pub(super) async fn start(server: SocketAddr, one_in: u64) -> Result<Self, Failed> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let spec: Spec = serde_json::from_str(SPEC)?;
        let pages = spec.foreign.iter();
        let pages = pages.map(|page| foreign_answer(page.status, &page.content_type, &page.body_text));
        let shared = Shared {
            server: server.to_string(),
            one_in: one_in.max(2),
            pages: pages.collect(),
            counts: Mutex::default(),
        };
        let shared = Arc::new(shared);
        let (mut serving, of_task) = (JoinSet::new(), shared.clone());
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                let shared = of_task.clone();
                connections.spawn(async move { drop(shared.serve(client).await) });
                while connections.try_join_next().is_some() {}
            }
        });
        Ok(Self { address, shared, _serving: serving })
    }

    pub(super) fn counts(&self) -> ProxyCounts {
        *self.shared.counts.lock()
    }
}

impl Shared {
    /// One call; connections are not kept.
    async fn serve(&self, mut client: TcpStream) -> io::Result<()> {
        let request = WholeRequest::read(&mut client).await?;
        let fate = self.next();
        if let Fate::Replaced(page) = &fate {
            return client.write_all(page.as_bytes()).await;
        }
        let mut upstream = request.forward(&self.server).await?;
        if let Fate::Unanswered(page) = &fate {
            upstream.read_to_end(&mut Vec::new()).await?;
            return client.write_all(page.as_bytes()).await;
        }
        copy_bidirectional(&mut client, &mut upstream).await.map(drop)
    }

    fn next(&self) -> Fate {
        let mut counts = self.counts.lock();
        counts.calls += 1;
        if !counts.calls.is_multiple_of(self.one_in) {
            return Fate::Passes;
        }
        // Pages come in turn, each of them before and after its call.
        let number = counts.before + counts.after;
        let at = usize::try_from(number / 2).expect("counts are small") % self.pages.len();
        let page = self.pages[at].clone();
        if number.is_multiple_of(2) {
            counts.before += 1;
            Fate::Replaced(page)
        } else {
            counts.after += 1;
            Fate::Unanswered(page)
        }
    }
}
