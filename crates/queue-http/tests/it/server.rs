//! A server over a router that notes what reaches it.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    response::{IntoResponse, Response},
    routing::{any, get, post},
};
use http_body_util::BodyExt;
use parking_lot::Mutex;
use queue_http::{Address, Door, Lifecycle, Server, ServerLimits, ServerOptions, Tokens};
use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
    sync::mpsc,
    task::JoinSet,
    time::timeout,
};

/// How long a test waits for what must happen before it fails.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// A server in a task of its own, cut when it is dropped.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) lifecycle: Lifecycle,
    pub(crate) seen: Seen,
    pub(crate) vanished: mpsc::UnboundedReceiver<()>,
    pub(crate) waiting: mpsc::UnboundedReceiver<()>,
    server: JoinSet<usize>,
}

/// The requests that reached a handler: method, path, and length of the body.
pub(crate) type Seen = Arc<Mutex<Vec<String>>>;

#[derive(Clone)]
struct Shared {
    seen: Seen,
    lifecycle: Lifecycle,
    vanished: mpsc::UnboundedSender<()>,
    waiting: mpsc::UnboundedSender<()>,
}

impl Running {
    /// A server at a free port, whose waits end when it closes.
    pub(crate) async fn start(limits: ServerLimits) -> Self {
        Self::serve(options().limits(limits).bind().await.unwrap())
    }

    pub(crate) fn serve(server: Server) -> Self {
        let [Address::Tcp(address), ..] = server.addresses().unwrap()[..] else { panic!("no port") };
        let ((vanished, on_vanished), (waiting, on_waiting)) =
            (mpsc::unbounded_channel(), mpsc::unbounded_channel());
        let (lifecycle, seen) = (server.lifecycle(), Seen::default());
        let shared = Shared { seen: seen.clone(), lifecycle: lifecycle.clone(), vanished, waiting };
        let mut running = JoinSet::new();
        running.spawn(server.run(router(shared)));
        Self { address, lifecycle, seen, vanished: on_vanished, waiting: on_waiting, server: running }
    }

    /// Waits until the server has ended, and says how many connections it cut.
    pub(crate) async fn ended(&mut self) -> usize {
        timeout(PATIENCE, self.server.join_next()).await.unwrap().unwrap().unwrap()
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Sends bytes, and reads until the server closes.
    pub(crate) async fn say(&self, bytes: impl AsRef<[u8]>) -> String {
        say(self.connect().await, bytes).await
    }

    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().clone()
    }
}

/// Sends bytes, and reads until the other end closes. A connection that is reset has answered what
/// was read before.
pub(crate) async fn say(mut stream: impl AsyncRead + AsyncWrite + Unpin, bytes: impl AsRef<[u8]>) -> String {
    let mut read = Vec::new();
    let talk = async {
        let _ = stream.write_all(bytes.as_ref()).await;
        let _ = stream.flush().await;
        let _ = stream.read_to_end(&mut read).await;
    };
    timeout(PATIENCE, talk).await.expect("the server closes the connection");
    String::from_utf8_lossy(&read).into_owned()
}

/// Reads until `text` was answered.
pub(crate) async fn read_until(stream: &mut (impl AsyncRead + Unpin), text: &str) -> String {
    let mut read = Vec::new();
    let all = async {
        while !String::from_utf8_lossy(&read).contains(text) {
            assert_ne!(stream.read_buf(&mut read).await.unwrap(), 0, "closed after {read:?}");
        }
    };
    timeout(PATIENCE, all).await.expect("the answer comes");
    String::from_utf8_lossy(&read).into_owned()
}

/// Options of a server at a free port, open to every program of this machine.
pub(crate) fn options() -> ServerOptions {
    ServerOptions::new(["127.0.0.1:0".parse().unwrap()], Door::Anybody)
}

/// A door with a file of one token.
pub(crate) fn tokens(folder: &tempfile::TempDir) -> (Door, PathBuf, String) {
    use queue_core::{QueueGlob, SystemRng};
    use queue_http::{NewToken, Scope};
    let path = folder.path().join("tokens");
    let new = NewToken::new([Scope::Work], [QueueGlob::any()]);
    let token = queue_http::add_token(&path, new, &SystemRng).unwrap().reveal();
    (Door::Tokens(Arc::new(Tokens::load(&path).unwrap())), path, token)
}

fn router(shared: Shared) -> Router {
    Router::new()
        .route("/wait", post(wait))
        .route("/large", get(async || Body::from(vec![b'x'; 64 << 20])))
        .fallback(any(echo))
        .with_state(shared)
}

/// Answers the body.
async fn echo(State(shared): State<Shared>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let Ok(body) = body.collect().await else {
        shared.seen.lock().push(format!("{} {} cut", head.method, head.uri.path()));
        return "cut".into_response();
    };
    let body = body.to_bytes();
    shared.seen.lock().push(format!("{} {} {}", head.method, head.uri.path(), body.len()));
    body.into_response()
}

/// Signals that it waits, and whether it was dropped.
async fn wait(State(shared): State<Shared>) -> &'static str {
    struct Vanished(Option<mpsc::UnboundedSender<()>>);
    impl Drop for Vanished {
        fn drop(&mut self) {
            if let Some(vanished) = self.0.take() {
                let _ = vanished.send(());
            }
        }
    }
    let mut unless_answered = Vanished(Some(shared.vanished.clone()));
    let _ = shared.waiting.send(());
    shared.lifecycle.closing().await;
    unless_answered.0 = None;
    "no jobs"
}
