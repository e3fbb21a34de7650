//! A store that stands still, takes no jobs, or is closed: what people and probes are told.

use crate::client::Client;
use axum::http::{Method, StatusCode};
use parking_lot::Mutex;
use queue_core::{Error, ErrorKind, QueueName, Result, Storage, StorageLayer};
use queue_http::{READ_MAX, Readiness};
use serde_json::{Value, json};
use std::{
    future::{Future, pending},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::time::{Instant, advance};

/// How old an answer of `/readyz` may be.
const AGE: Duration = Duration::from_secs(1);

/// What is wrong with a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    Nothing,
    /// No call is ever answered.
    Frozen,
    /// It reads, and refuses new jobs, as on a full disk.
    Full,
    Closed,
}

/// A store with a trouble, which counts what it was asked to store.
#[derive(Debug)]
struct Troubled {
    store: Arc<dyn Storage>,
    trouble: Mutex<Trouble>,
    enqueues: AtomicUsize,
}

impl Troubled {
    async fn new(trouble: Trouble) -> Arc<Self> {
        let store = queue::open("memory:").await.expect("memory is always there");
        Arc::new(Self { store, trouble: Mutex::new(trouble), enqueues: AtomicUsize::new(0) })
    }
}

impl StorageLayer for Troubled {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.store
    }

    async fn around<T: Send>(
        &self,
        verb: &'static str,
        _: Option<&QueueName>,
        call: impl Future<Output = Result<T>> + Send,
    ) -> Result<T> {
        let is_enqueue = verb == "enqueue";
        self.enqueues.fetch_add(usize::from(is_enqueue), Ordering::SeqCst);
        let trouble = *self.trouble.lock();
        match trouble {
            Trouble::Frozen => pending().await,
            Trouble::Closed => Err(Error::closed(verb)),
            Trouble::Full if is_enqueue => Err(Error::new(ErrorKind::Unavailable, verb, "the disk is full")),
            Trouble::Full | Trouble::Nothing => call.await,
        }
    }
}

/// The calls by which people look.
const READS: [(Method, &str); 14] = [
    (Method::GET, "/v1/queues"),
    (Method::GET, "/v1/queues/q"),
    (Method::GET, "/v1/queues/q/jobs"),
    (Method::POST, "/v1/queues/q/jobs:get"),
    (Method::GET, "/v1/queues/q/jobs/a"),
    (Method::GET, "/v1/queues/q/jobs/a/body"),
    (Method::GET, "/v1/queues/q/stats"),
    (Method::GET, "/v1/queues/q/events"),
    (Method::GET, "/v1/queues/q/schedules"),
    (Method::GET, "/v1/queues/q/schedules/nightly"),
    (Method::GET, "/v1/workers"),
    (Method::GET, "/v1/operations"),
    (Method::GET, "/v1/operations/q%2Fo"),
    (Method::GET, "/metrics"),
];

#[tokio::test(start_paused = true)]
async fn a_read_of_a_store_that_stands_still_is_answered_after_ten_seconds() {
    let client = Client::on(Troubled::new(Trouble::Frozen).await);
    for (method, path) in READS {
        let body = if method == Method::POST { r#"{"ids":["a"]}"# } else { "" };
        let begun = Instant::now();
        let (status, problem) = client.call(method, path, body).await;
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{path}: {problem}");
        assert_eq!((&problem["kind"], &problem["certainty"]), (&json!("unavailable"), &json!("not_applied")));
        assert!(begun.elapsed() <= READ_MAX, "{path}: {:?}", begun.elapsed());
    }
    assert_eq!(client.call(Method::GET, "/healthz", "").await.0, StatusCode::OK);
}

async fn ready(client: &Client) -> (StatusCode, Value) {
    let (status, answer) = client.call(Method::GET, "/readyz", "").await;
    (status, answer["kind"].clone())
}

#[tokio::test(start_paused = true)]
async fn a_store_that_reads_and_takes_no_jobs_is_not_ready_until_it_does_again() {
    let store = Troubled::new(Trouble::Full).await;
    let client = Client::on(store.clone());
    let unready = (StatusCode::SERVICE_UNAVAILABLE, json!("unavailable"));
    assert_eq!(ready(&client).await, unready);
    assert_eq!(client.call(Method::GET, "/healthz", "").await.0, StatusCode::OK);
    *store.trouble.lock() = Trouble::Nothing;
    advance(AGE).await;
    assert_eq!(ready(&client).await, (StatusCode::OK, Value::Null));
    advance(AGE).await;
    *store.trouble.lock() = Trouble::Closed;
    assert_eq!(ready(&client).await, (StatusCode::SERVICE_UNAVAILABLE, json!("closed")));
    advance(AGE).await;
    *store.trouble.lock() = Trouble::Frozen;
    let begun = Instant::now();
    assert_eq!(ready(&client).await, unready);
    assert!(begun.elapsed() <= Readiness::LOOK_MAX);
}

#[tokio::test(start_paused = true)]
async fn however_many_ask_the_store_is_asked_once_a_second_and_keeps_no_job() {
    let store = Troubled::new(Trouble::Nothing).await;
    let client = Client::on(store.clone());
    for _ in 0..2 {
        let asked = (0..1_000).map(|_| ready(&client));
        let answers = futures_util::future::join_all(asked).await;
        assert!(answers.iter().all(|(status, _)| *status == StatusCode::OK));
        advance(AGE).await;
    }
    assert_eq!(store.enqueues.load(Ordering::SeqCst), 2);
    let counts = store.store.counts(&QueueName::from_static("queue.probe")).await.expect("memory counts");
    assert_eq!(counts.total(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_look_whose_caller_has_gone_holds_nobody_up() {
    let store = Troubled::new(Trouble::Frozen).await;
    let client = Client::on(store.clone());
    drop(tokio::time::timeout(AGE, ready(&client)).await);
    *store.trouble.lock() = Trouble::Nothing;
    advance(Readiness::LOOK_MAX).await;
    assert_eq!(ready(&client).await.0, StatusCode::OK);
}
