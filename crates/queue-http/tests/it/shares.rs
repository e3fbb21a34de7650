//! What one caller costs the others, over real sockets: a stranger a connection, a token its share.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use crate::server::{PATIENCE, options, read_until, say};
use futures_util::future::select_all;
use queue_core::{QueueGlob, SystemRng};
use queue_http::{
    AccessControl, Address, BrowserRules, Lifecycle, NewToken, Principal, ReceiptKeys, RequestLimits, Scope,
    Service, Tokens,
};
use std::{net::SocketAddr, path::PathBuf, sync::Arc};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
    time::timeout,
};

/// A body of the largest size, of which nothing comes.
const PROMISE: &str = "content-length: 8388608";
const CLAIM: &str = r#"{"worker":"w","claim_id":"5f0c6a0e9b1d4c7f8a2b3c4d5e6f7081","wait_ms":60000}"#;

/// A service in memory at a port, behind a door with a file of tokens.
struct House {
    _folder: tempfile::TempDir,
    path: PathBuf,
    tokens: Arc<Tokens>,
    address: SocketAddr,
    lifecycle: Lifecycle,
    _running: JoinSet<usize>,
}

impl House {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        let first = NewToken::new([Scope::Metrics], [QueueGlob::any()]);
        drop(queue_http::add_token(&path, first, &SystemRng).unwrap());
        let tokens = Arc::new(Tokens::load(&path).unwrap());
        let store = queue::open("memory:").await.unwrap();
        let service = Service::new(store, ReceiptKeys::generate(&SystemRng));
        let door =
            AccessControl::with_tokens(tokens.clone(), BrowserRules::default(), RequestLimits::default());
        let server = options().bind().await.unwrap();
        let Address::Tcp(address) = server.addresses().unwrap()[0].clone() else { panic!("a port") };
        let (lifecycle, mut running) = (server.lifecycle(), JoinSet::new());
        running.spawn(server.run(door.guard(&service)));
        Self { _folder: folder, path, tokens, address, lifecycle, _running: running }
    }

    fn token(&self, scopes: impl IntoIterator<Item = Scope>, queue: &str) -> queue_http::Token {
        let new = NewToken::new(scopes, [queue.parse().unwrap()]);
        let token = queue_http::add_token(&self.path, new, &SystemRng).unwrap();
        self.tokens.reload().unwrap();
        token
    }

    fn revoke(&self, token: &queue_http::Token) {
        assert!(queue_http::revoke_token(&self.path, token.id()).unwrap());
        self.tokens.reload().unwrap();
    }

    /// A connection on which this was sent.
    async fn begin(&self, line: &str, token: Option<&str>, headers: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let token = token.map(|token| format!("authorization: Bearer {token}\r\n")).unwrap_or_default();
        let head =
            format!("{line} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n{token}{headers}");
        stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).await.unwrap();
        stream
    }

    /// The status of an enqueue.
    async fn enqueue(&self, token: &str, queue: &str) -> String {
        let body = r#"{"jobs":[{"payload":1}]}"#;
        let headers = format!("connection: close\r\ncontent-length: {}", body.len());
        let line = format!("POST /v1/queues/{queue}/jobs");
        let stream = self.begin(&line, Some(token), &headers, body).await;
        status(&say(stream, "").await)
    }

    async fn claim(&self, token: &str, queue: &str) -> TcpStream {
        let chunk = format!("{:x}\r\n{CLAIM}\r\n0\r\n\r\n", CLAIM.len());
        let line = format!("POST /v1/queues/{queue}/claim");
        self.begin(&line, Some(token), "transfer-encoding: chunked", &chunk).await
    }

    async fn events(&self, token: &str) -> TcpStream {
        self.begin("GET /v1/queues/mail/events", Some(token), "connection: close", "").await
    }
}

fn status(answer: &str) -> String {
    answer.split(' ').nth(1).unwrap_or("no answer").to_owned()
}

/// What is left of an answer until the server ends it; nothing if it cuts the connection, as it may
/// where bytes of a body are on their way.
async fn rest(mut stream: TcpStream) -> String {
    let mut read = Vec::new();
    let _cut = timeout(PATIENCE, stream.read_to_end(&mut read)).await.expect("it ends");
    String::from_utf8_lossy(&read).into_owned()
}

#[tokio::test]
async fn bytes_that_are_promised_and_do_not_come_stop_nobody() {
    let house = House::new().await;
    let [good, other] = [Scope::Produce; 2].map(|scope| house.token([scope], "mail").reveal());
    let reader = house.token([Scope::View], "empty").reveal();
    let mut held = Vec::new();
    for _ in 0..80 {
        held.push(house.begin("GET /healthz", None, PROMISE, "").await);
        held.push(house.begin("GET /v1/queues", Some(&reader), PROMISE, "").await);
        held.push(house.begin("POST /v1/queues/mail/jobs", Some(&other), PROMISE, "").await);
    }
    assert_eq!(house.enqueue(&good, "mail").await, "200");
    // The token that promises has not used its share up either: nothing came.
    assert_eq!(house.enqueue(&other, "mail").await, "200");
    for mut answered in held.into_iter().take(2) {
        let answer = read_until(&mut answered, "\r\n\r\n").await;
        assert_eq!(status(&answer), "400", "{answer}");
    }
    house.lifecycle.stop();
}

#[tokio::test]
async fn claims_of_unknown_length_that_wait_stop_nobody() {
    let house = House::new().await;
    let good = house.token([Scope::Produce], "mail").reveal();
    let worker = house.token([Scope::Work], "work").reveal();
    let mut waiting = Vec::new();
    for _ in 0..100 {
        waiting.push(house.claim(&worker, "work").await);
    }
    // Meanwhile all of them have come to wait.
    for _ in 0..50 {
        assert_eq!(house.enqueue(&good, "mail").await, "200");
    }
    house.lifecycle.stop();
}

#[tokio::test]
async fn a_token_has_its_share_of_bytes_and_no_more() {
    let house = House::new().await;
    let [greedy, good] = [Scope::Produce; 2].map(|scope| house.token([scope], "mail").reveal());
    let most = Principal::BODIES_BYTES_MAX / (8 << 20);
    let mut held = Vec::new();
    // All of each body but its last byte, so that they are held.
    for _ in 0..=most {
        let mut stream = house.begin("POST /v1/queues/mail/jobs", Some(&greedy), PROMISE, "").await;
        let bytes = vec![b' '; (8 << 20) - 1];
        // The server may have refused it meanwhile.
        let _sent = stream.write_all(&bytes).await;
        held.push(stream);
    }
    // All together are more than the share, whichever is read last; the others are never answered.
    let (refused, ..) = select_all(held.into_iter().map(|stream| Box::pin(rest(stream)))).await;
    assert!(refused.is_empty() || status(&refused) == "429", "{refused}");
    assert_eq!(house.enqueue(&good, "mail").await, "200");
    house.lifecycle.stop();
}

#[tokio::test]
async fn a_token_has_its_share_of_streams_and_no_more() {
    let house = House::new().await;
    let [greedy, good] = [Scope::View; 2].map(|scope| house.token([scope], "mail").reveal());
    let mut open = Vec::new();
    for _ in 0..Principal::STREAMS_MAX {
        let mut stream = house.events(&greedy).await;
        read_until(&mut stream, ": open").await;
        open.push(stream);
    }
    let answer = read_until(&mut house.events(&greedy).await, "this token has too many").await;
    assert_eq!(status(&answer), "429", "{answer}");
    read_until(&mut house.events(&good).await, ": open").await;
    drop(open);
    house.lifecycle.stop();
}

#[tokio::test]
async fn what_began_with_a_token_ends_with_it_and_a_claim_gets_no_job() {
    let house = House::new().await;
    let (worker, viewer) = (house.token([Scope::Work], "mail"), house.token([Scope::View], "mail"));
    let producer = house.token([Scope::Produce], "mail").reveal();
    let waiting = house.claim(&worker.reveal(), "mail").await;
    let mut events = house.events(&viewer.reveal()).await;
    read_until(&mut events, ": open").await;
    house.revoke(&worker);
    house.revoke(&viewer);
    let answer = read_until(&mut { waiting }, "\r\n\r\n").await;
    assert_eq!(status(&answer), "401", "{answer}");
    assert!(!rest(events).await.contains("event: job"));
    assert_eq!(house.enqueue(&producer, "mail").await, "200");
    house.lifecycle.stop();
}
