//! What no answer and no log may say.

use crate::server::{PATIENCE, options, say, tokens};
use async_trait::async_trait;
use parking_lot::Mutex;
use queue_core::{
    ClaimRequest, Claimed, Detail, Enqueued, Error, ErrorKind, JobId, JobRecord, ListQuery, NewJob, Page,
    QueueName, Result, Stamped, Storage, StorageLayer, SystemRng,
};
use queue_http::{AccessControl, BrowserRules, Door, ReceiptKeys, RequestLimits, Service};
use std::{io, sync::Arc};
use tokio::{net::TcpStream, task::JoinSet, time::timeout};
use tracing_subscriber::layer::SubscriberExt;

/// What a driver says when it fails.
const DRIVER: &str = "connect postgres://owner:hunter2@db.internal:5432/jobs: relation \"lease\" is damaged";
/// Pieces of it, each of which is too much.
const PIECES: [&str; 5] = ["postgres:", "hunter2", "db.internal", "5432", "relation"];

/// A store that fails in each verb, as its driver says.
#[derive(Debug)]
struct Broken(Arc<dyn Storage>);

fn fault(verb: &'static str) -> Error {
    let kind = if verb == "list" { ErrorKind::Corrupt } else { ErrorKind::Unavailable };
    Error::new(kind, verb, "the database does not answer").with_source(io::Error::other(DRIVER))
}

#[async_trait]
impl StorageLayer for Broken {
    type Inner = dyn Storage;

    fn inner(&self) -> &Self::Inner {
        &*self.0
    }

    async fn enqueue(&self, _: &QueueName, _: Vec<Vec<NewJob>>) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        Err(fault("enqueue").unknown())
    }

    async fn claim(&self, _: ClaimRequest) -> Result<Claimed> {
        Err(fault("claim"))
    }

    async fn get(&self, _: &QueueName, _: &[JobId], _: Detail) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        Err(fault("get"))
    }

    async fn list(&self, _: ListQuery) -> Result<Page> {
        Err(fault("list"))
    }
}

/// A log that is kept.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn no_answer_and_no_log_has_a_token_or_a_word_of_a_driver() {
    let log = Log::default();
    let writer = log.clone();
    let lines = tracing_subscriber::fmt::layer().with_writer(move || writer.clone()).with_ansi(false);
    // This test runs on one thread, which has the subscriber until its end.
    let _subscribed = tracing::subscriber::set_default(tracing_subscriber::registry().with(lines));

    let folder = tempfile::tempdir().unwrap();
    let (_, path, _) = tokens(&folder);
    let all = queue_http::NewToken::new(queue_http::Scope::ALL, [queue_core::QueueGlob::any()]);
    let token = queue_http::add_token(&path, all, &SystemRng).unwrap().reveal();
    let loaded = Arc::new(queue_http::Tokens::load(&path).unwrap());
    let store = Arc::new(Broken(queue::open("memory:").await.unwrap()));
    let service = Service::new(store, ReceiptKeys::generate(&SystemRng));
    let control =
        AccessControl::with_tokens(loaded.clone(), BrowserRules::default(), RequestLimits::default());
    let server = options().bind().await.unwrap();
    let queue_http::Address::Tcp(address) = server.addresses().unwrap()[0].clone() else { panic!("a port") };
    let lifecycle = server.lifecycle();
    let mut running = JoinSet::new();
    running.spawn(server.run(control.guard(&service)));

    let ask = async |head: &str, token: &str, body: &str| {
        let request = format!(
            "{head} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        say(TcpStream::connect(address).await.unwrap(), request).await
    };
    let wrong = format!("{}AAAA", &token[..token.len() - 4]);
    let claim = r#"{"worker":"w","claim_id":"5f0c6a0e9b1d4c7f8a2b3c4d5e6f7081"}"#;
    let mut answers = String::new();
    for (head, token, body, status) in [
        ("GET /readyz", &token, "", "503"),
        ("GET /healthz", &token, "", "200"),
        ("POST /v1/queues/mail/jobs", &token, r#"{"jobs":[{"payload":1}]}"#, "503"),
        ("POST /v1/queues/mail/claim", &token, claim, "503"),
        ("GET /v1/queues/mail/jobs", &token, "", "500"),
        ("GET /v1/queues/mail/jobs/a/body", &token, "", "503"),
        ("POST /v1/queues/mail/jobs", &token, "{", "400"),
        ("POST /v1/settle", &token, r#"{"items":[{"receipt":"v1.forged","release":{}}]}"#, "200"),
        ("GET /v1/queues", &wrong, "", "401"),
    ] {
        let answer = ask(head, token, body).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{head}: {answer}");
        answers.push_str(&answer);
    }
    std::fs::write(&path, "not a file of tokens: hunter2").unwrap();
    let reload = loaded.reload().unwrap_err().to_string();
    lifecycle.stop();
    timeout(PATIENCE, running.join_next()).await.unwrap();

    let log = String::from_utf8(log.0.lock().clone()).unwrap();
    assert!(log.contains("did not carry out"), "the log says that something was wrong: {log}");
    let secret = token.rsplit_once(&token[3..15]).unwrap().1;
    for (what, text) in [("an answer", &answers), ("the log", &log), ("an error", &reload)] {
        for piece in PIECES.iter().chain([&secret, &&secret[..20], &&wrong[16..]]) {
            assert!(!text.contains(piece), "{what} has {piece:?}: {text}");
        }
    }
}

#[test]
fn what_holds_a_secret_does_not_show_it() {
    let folder = tempfile::tempdir().unwrap();
    let (door, _, token) = tokens(&folder);
    let Door::Tokens(tokens) = &door else { panic!("tokens") };
    let control =
        AccessControl::with_tokens(tokens.clone(), BrowserRules::default(), RequestLimits::default());
    let shown = format!("{door:?} {control:?} {:?}", ReceiptKeys::generate(&SystemRng));
    assert!(!shown.contains(&token[16..]), "{shown}");
}
