//! The proxy as a test sees it.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;

use super::connection::ProxyState;
use super::counts::Counts;
use super::door::Door;
use super::keeper::{Keeper, Order, ProxyOrder};
use super::traffic::Traffic;

/// A port of loopback that leads to a server, with faults in between. It ends, with all its
/// connections, when it is dropped.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    orders: mpsc::Sender<Order>,
    counts: watch::Receiver<Counts>,
    keeper: JoinSet<()>,
}

impl Proxy {
    /// Listens on a free port of 127.0.0.1 and passes everything on to `server`, which need not run
    /// yet.
    ///
    /// # Errors
    ///
    /// If no port can be opened.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime with network and time.
    pub fn start(server: SocketAddr) -> io::Result<Self> {
        let door = Door::open_anywhere()?;
        let address = door.address();
        let (traffic, traffic_seen) = watch::channel(Traffic::Pass);
        let (counts, counts_seen) = watch::channel(Counts::default());
        let (orders, orders_taken) = mpsc::channel(1);
        let line = ProxyState { server, traffic: traffic_seen, counts, wires: Arc::default() };
        let mut keeper = JoinSet::new();
        keeper.spawn(Keeper { door, line, traffic, connections: JoinSet::new() }.run(orders_taken));
        Ok(Self { address, orders, counts: counts_seen, keeper })
    }

    /// Where clients connect to. It stays the same.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Changes what becomes of the bytes from now on. What has passed the proxy when this returns
    /// went the old way, what reaches it afterwards goes the new one. Dropped half-way, it may have
    /// happened or not.
    ///
    /// # Errors
    ///
    /// If the port cannot be closed or opened again, or the proxy has ended because clients could
    /// not be taken.
    pub async fn set(&self, traffic: Traffic) -> io::Result<()> {
        self.order(ProxyOrder::Set(traffic)).await
    }

    /// Cuts every connection that is open, also what is under way on it. A client that connects
    /// meanwhile may be spared. Dropped half-way, it may have happened or not.
    ///
    /// # Errors
    ///
    /// If the proxy has ended because clients could not be taken.
    pub async fn cut(&self) -> io::Result<()> {
        self.order(ProxyOrder::Cut).await
    }

    /// What it has done so far.
    pub fn counts(&self) -> Counts {
        *self.counts.borrow()
    }

    /// Waits until it has done something, and says how much by then. This is how a test knows,
    /// without sleeping, that a request was answered and the answer is gone.
    pub async fn wait_for(&self, mut condition: impl FnMut(&Counts) -> bool) -> Counts {
        let mut counts = self.counts.clone();
        match counts.wait_for(|counts| condition(counts)).await {
            Ok(counts) => *counts,
            // Nothing more will be done, so the condition cannot come true.
            Err(_) => std::future::pending().await,
        }
    }

    /// Ends it, and returns once clients are refused.
    pub async fn close(mut self) {
        self.keeper.shutdown().await;
    }

    async fn order(&self, command: ProxyOrder) -> io::Result<()> {
        let has_ended = || io::Error::other("the proxy has ended, as it could take no more clients");
        let (done, outcome) = oneshot::channel();
        self.orders.send((command, done)).await.map_err(|_| has_ended())?;
        outcome.await.map_err(|_| has_ended())?
    }
}
