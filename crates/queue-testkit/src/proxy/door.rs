//! Where clients come in.

use std::io;
use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpSocket, TcpStream};

/// Clients that may wait to be let in.
const BACKLOG_MAX: u32 = 1_024;

/// A port that listens, or that is held without listening, which is what refuses clients and keeps the port.
#[derive(Debug)]
pub(super) enum Door {
    Open(TcpListener),
    Shut(TcpSocket),
}

impl Door {
    /// An open door on any free port of loopback.
    pub(super) fn open_anywhere() -> io::Result<Self> {
        hold(SocketAddr::from(([127, 0, 0, 1], 0)))?.listen(BACKLOG_MAX).map(Self::Open)
    }

    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        match self {
            Self::Open(listener) => listener.local_addr(),
            Self::Shut(socket) => socket.local_addr(),
        }
    }

    pub(super) fn opened(self) -> io::Result<Self> {
        match self {
            Self::Shut(socket) => socket.listen(BACKLOG_MAX).map(Self::Open),
            Self::Open(_) => Ok(self),
        }
    }

    pub(super) fn shut(self) -> io::Result<Self> {
        match self {
            Self::Open(listener) => {
                let address = listener.local_addr()?;
                drop(listener);
                hold(address).map(Self::Shut)
            }
            Self::Shut(_) => Ok(self),
        }
    }

    /// The next client; never, while the door is shut. A dropped call loses no client.
    pub(super) async fn accept(&self) -> io::Result<TcpStream> {
        match self {
            Self::Open(listener) => listener.accept().await.map(|(client, _)| client),
            Self::Shut(_) => std::future::pending().await,
        }
    }
}

/// The address may be taken again although connections that came in by it are still open.
fn hold(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}
