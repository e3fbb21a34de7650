//! The listening port of a proxy.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::sleep;

use super::lasting_address::lasting_address;

/// The most connections that may wait to be accepted.
const BACKLOG_MAX: u32 = 1_024;
const TRIES_MAX: usize = 1_000;
const AGAIN_AFTER: Duration = Duration::from_millis(5);

/// A port that listens, or that is bound without listening, which refuses clients and keeps the
/// port.
#[derive(Debug)]
pub(super) struct Door {
    address: SocketAddr,
    listener: Option<TcpListener>,
    held: Option<TcpSocket>,
}

impl Door {
    /// Listens on any free port of loopback.
    pub(super) fn open_anywhere() -> io::Result<Self> {
        let listener = hold(lasting_address()?)?.listen(BACKLOG_MAX)?;
        Ok(Self { address: listener.local_addr()?, listener: Some(listener), held: None })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) fn open(&mut self) -> io::Result<()> {
        if let Some(socket) = self.held.take() {
            self.listener = Some(socket.listen(BACKLOG_MAX)?);
        }
        Ok(())
    }

    pub(super) async fn shut(&mut self) -> io::Result<()> {
        if let Some(listener) = self.listener.take() {
            drop(listener);
            self.held = Some(hold_soon(self.address).await?);
        }
        Ok(())
    }

    /// Accepts the next client; never returns while the door is shut. A dropped call loses no
    /// client.
    pub(super) async fn accept(&self) -> io::Result<TcpStream> {
        match &self.listener {
            Some(listener) => listener.accept().await.map(|(client, _)| client),
            None => std::future::pending().await,
        }
    }
}

/// A process that is being started has a copy of the listener until it runs its own program.
async fn hold_soon(address: SocketAddr) -> io::Result<TcpSocket> {
    for _ in 1..TRIES_MAX {
        match hold(address) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => sleep(AGAIN_AFTER).await,
            held => return held,
        }
    }
    hold(address)
}

/// `SO_REUSEADDR` lets the address be bound again while connections accepted on it are still open.
fn hold(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}
