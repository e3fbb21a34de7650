//! The public handle of a proxy.

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

/// A port of loopback that leads to a server, with faults in between. Dropping it ends it and all
/// its connections.
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

    /// The address for clients to connect to. It stays the same.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Changes what happens to bytes from now on. Bytes that passed the proxy before this returns
    /// were treated the old way; bytes that arrive afterwards are treated the new way. If the
    /// future is dropped, the change may or may not have happened.
    ///
    /// # Errors
    ///
    /// If the port cannot be closed or opened again, or the proxy has ended because it could not
    /// accept clients.
    pub async fn set(&self, traffic: Traffic) -> io::Result<()> {
        self.order(ProxyOrder::Set(traffic)).await
    }

    /// Cuts every open connection, including the bytes under way on it. A client that connects
    /// meanwhile may be spared. If the future is dropped, the cut may or may not have happened.
    ///
    /// # Errors
    ///
    /// If the proxy has ended because it could not accept clients.
    pub async fn cut(&self) -> io::Result<()> {
        self.order(ProxyOrder::Cut).await
    }

    /// What the proxy has done so far.
    pub fn counts(&self) -> Counts {
        *self.counts.borrow()
    }

    /// Waits until the counts meet the condition, and returns them. By this a test knows, without
    /// sleeping, that a request was answered and the answer is lost.
    pub async fn wait_for(&self, mut condition: impl FnMut(&Counts) -> bool) -> Counts {
        let mut counts = self.counts.clone();
        match counts.wait_for(|counts| condition(counts)).await {
            Ok(counts) => *counts,
            // The proxy has ended, so the counts change no more and the condition cannot come true.
            Err(_) => std::future::pending().await,
        }
    }

    /// Ends the proxy, and returns once clients are refused.
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
