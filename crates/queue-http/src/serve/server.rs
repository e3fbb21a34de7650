//! The server: listens, serves, reads its files again, and drains.

use crate::{
    access::{AccessError, Tokens},
    serve::{
        Address, Lifecycle, RequestBody, ServerLimits, TlsFiles, connection::Connections, listener::Listener,
        served::Served, tls::Tls,
    },
};
use axum::{
    body::{Bytes, HttpBody},
    http::{Request, Response},
};
use std::{convert::Infallible, error::Error, io, sync::Arc, time::Duration};
use tokio::{
    sync::Semaphore,
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_util::task::TaskTracker;
use tower_service::Service;

/// How long to wait after the system gave no connection, such as for lack of file descriptors.
const ACCEPT_RETRY: Duration = Duration::from_millis(100);
/// The rights of a socket in the file system, unless set otherwise: its owner's alone.
const SOCKET_MODE: u32 = 0o600;

/// Who may come in.
#[derive(Clone, Debug)]
pub enum Door {
    /// Who has a token of the file, or a certificate whose subject it names.
    Tokens(Arc<Tokens>),
    /// Any program that reaches the server. Refused unless only this machine can reach it.
    Anybody,
}

/// How to start a server.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    addresses: Vec<Address>,
    door: Door,
    tls: Option<TlsFiles>,
    plaintext: Plaintext,
    socket_mode: u32,
    limits: ServerLimits,
}

/// How to treat tokens that would cross a network unencrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plaintext {
    Refused,
    Accepted,
}

/// A server that listens and does not serve yet: connections wait.
///
/// ```
/// use queue_core::SystemRng;
/// use queue_http::{
///     AccessControl, BrowserRules, Door, ReceiptKeys, RequestLimits, ServerOptions, Service,
/// };
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let service = Service::new(queue::open("memory:").await?, ReceiptKeys::generate(&SystemRng));
/// let rules = BrowserRules::default().only_hosts([]);
/// let door = AccessControl::without_tokens(rules, RequestLimits::default());
///
/// let server = ServerOptions::new(["127.0.0.1:0".parse()?], Door::Anybody).bind().await?;
/// println!("listening at {}", server.urls()?[0]);
/// let lifecycle = server.lifecycle();
/// let stop_soon = async {
///     lifecycle.stop();
///     lifecycle.closing().await;
///     service.close().await;
/// };
/// let (cut, ()) = tokio::join!(server.run(door.guard(&service)), stop_soon);
/// assert_eq!(cut, 0);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Server {
    listeners: Vec<Listener>,
    tls: Option<Arc<Tls>>,
    limits: ServerLimits,
    lifecycle: Lifecycle,
}

/// Reads the certificates of a running server again.
#[derive(Clone, Debug)]
pub struct TlsReload(Option<Arc<Tls>>);

impl ServerOptions {
    /// A server at these addresses.
    pub fn new(addresses: impl IntoIterator<Item = Address>, door: Door) -> Self {
        Self {
            addresses: addresses.into_iter().collect(),
            door,
            tls: None,
            plaintext: Plaintext::Refused,
            socket_mode: SOCKET_MODE,
            limits: ServerLimits::default(),
        }
    }

    /// Encrypts the connections of networks.
    #[must_use]
    pub fn tls(self, files: TlsFiles) -> Self {
        Self { tls: Some(files), ..self }
    }

    /// Takes tokens from a network unencrypted, since something in front of the server encrypts.
    #[must_use]
    pub fn accept_plaintext(self) -> Self {
        Self { plaintext: Plaintext::Accepted, ..self }
    }

    /// The rights of sockets in the file system; default `0o600`.
    #[must_use]
    pub fn socket_mode(self, mode: u32) -> Self {
        Self { socket_mode: mode, ..self }
    }

    /// The limits of connections.
    #[must_use]
    pub fn limits(self, limits: ServerLimits) -> Self {
        Self { limits, ..self }
    }

    /// Refuses what would let strangers in, or let them listen.
    fn check(&self) -> Result<(), AccessError> {
        let refused = |why: String| Err(AccessError::Refused(why));
        let Some(open) = self.addresses.iter().find(|address| !address.is_local()) else {
            return if self.addresses.is_empty() {
                refused("the server has no address to listen at".to_owned())
            } else {
                Ok(())
            };
        };
        match (&self.door, &self.tls, self.plaintext) {
            (Door::Anybody, _, _) => refused(format!(
                "other machines reach {open}, so the server needs tokens; without them it listens at 127.0.0.1 or at a socket alone"
            )),
            (Door::Tokens(_), None, Plaintext::Refused) => refused(format!(
                "other machines reach {open}, and tokens would go there unencrypted; give a certificate, or say that something in front of the server encrypts"
            )),
            _ => Ok(()),
        }
    }

    /// Listens. From here on clients can connect; they are served once [`Server::run`] is called.
    pub async fn bind(self) -> Result<Server, AccessError> {
        self.check()?;
        let tls = self.tls.map(Tls::load).transpose()?.map(Arc::new);
        let mut listeners = Vec::new();
        for address in &self.addresses {
            let bound = Listener::bind(address, self.socket_mode).await;
            let failed = |source| AccessError::Io { path: address.to_string().into(), source };
            listeners.push(bound.map_err(failed)?);
        }
        Ok(Server { listeners, tls, limits: self.limits, lifecycle: Lifecycle::new() })
    }
}

impl Server {
    /// Where it listens, with the ports that the system chose.
    pub fn addresses(&self) -> io::Result<Vec<Address>> {
        self.listeners.iter().map(Listener::address).collect()
    }

    /// The same as a client or a browser on this machine takes them: `http://127.0.0.1:8080/`, or
    /// `unix:/path` for a socket.
    pub fn urls(&self) -> io::Result<Vec<String>> {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let url = |address| match address {
            Address::Tcp(address) => format!("{scheme}://{address}/"),
            Address::Unix(_) => address.to_string(),
        };
        Ok(self.addresses()?.into_iter().map(url).collect())
    }

    /// What stops the server, and what its handlers ask whether it stops.
    pub fn lifecycle(&self) -> Lifecycle {
        self.lifecycle.clone()
    }

    /// What reads the certificates again.
    pub fn tls_reload(&self) -> TlsReload {
        TlsReload(self.tls.clone())
    }

    /// Serves until [`Lifecycle::stop`], then drains, and answers how many connections had to be
    /// cut at the end. A second stop is [`Lifecycle::abort`]. Dropping the future cuts all
    /// connections.
    ///
    /// The service should be one that `AccessControl::guard` returned, or be as careful.
    pub async fn run<S, B>(self, service: S) -> usize
    where
        S: Service<Request<RequestBody>, Response = Response<B>, Error = Infallible, Future: Send>
            + Clone
            + Send
            + Sync
            + 'static,
        B: HttpBody<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
    {
        let Self { listeners, tls, limits, lifecycle } = self;
        let open = TaskTracker::new();
        let connections = Arc::new(Connections { service, limits, lifecycle: lifecycle.clone(), tls });
        let room = Arc::new(Semaphore::new(limits.connections_max));
        let mut accepting = JoinSet::new();
        for listener in listeners {
            let connections = connections.clone();
            let open = open.clone();
            let room = room.clone();
            accepting.spawn(async move { accept(&listener, &connections, &open, &room).await });
        }
        // A caller that drops this future wants all connections cut.
        let _cut = lifecycle.clone().abort_on_drop();
        lifecycle.stopped().await;
        tokio::select! {
            () = sleep(limits.drain_delay) => {}
            () = lifecycle.ended() => {}
        }
        lifecycle.close();
        while accepting.join_next().await.is_some() {}
        open.close();
        let drained = async {
            tokio::select! {
                () = open.wait() => {}
                () = lifecycle.ended() => {}
            }
        };
        drop(timeout(limits.drain_timeout, drained).await);
        let cut = open.len();
        lifecycle.abort();
        open.wait().await;
        cut
    }
}

/// Takes connections until the server closes.
async fn accept<S: Served>(
    listener: &Listener,
    connections: &Arc<Connections<S>>,
    open: &TaskTracker,
    room: &Arc<Semaphore>,
) {
    loop {
        let next = async {
            let place = room.clone().acquire_owned().await.expect("the room is never closed");
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            next = next => next,
            () = connections.lifecycle.closing() => return,
        };
        let stream = match accepted {
            Ok(stream) => stream,
            Err(error) => {
                tracing::warn!(%error, "no connection could be taken");
                sleep(ACCEPT_RETRY).await;
                continue;
            }
        };
        let connections = connections.clone();
        let is_network = listener.is_network();
        drop(open.spawn(async move {
            let _place = place;
            connections.serve(stream, is_network).await;
        }));
    }
}

impl TlsReload {
    /// Reads the files again; connections that are open stay. Without TLS there is nothing to read.
    pub fn reload(&self) -> Result<(), AccessError> {
        self.0.as_ref().map_or(Ok(()), |tls| tls.reload())
    }
}
