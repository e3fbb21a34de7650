//! A claim whose answer is lost, and which is repeated at another server of the same store.

use crate::{
    client::{Client, claim_of, store_and_clock},
    lost_claims::claim_request,
};
use axum::{
    body::{Body, to_bytes},
    http::Response,
};
use queue_core::{
    ClaimRequest, Claimed, Error, ErrorKind, QueueName, Result, SeededRng, Storage, StorageLayer,
};
use queue_http::{Principal, ReceiptKeys};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::sync::watch;
use tower::ServiceExt;

/// The store of the first server: it counts the calls that ended, holds listings up until they may
/// go on, and may lose the answer of a claim.
#[derive(Debug)]
struct Watched {
    inner: Arc<dyn Storage>,
    ended: watch::Sender<HashMap<&'static str, usize>>,
    may_list: watch::Sender<bool>,
    loses: AtomicBool,
}

#[async_trait::async_trait]
impl StorageLayer for Watched {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.inner
    }

    #[expect(clippy::manual_async_fn, reason = "an async function would be boxed here")]
    fn around<T: Send>(
        &self,
        verb: &'static str,
        _queue: Option<&QueueName>,
        call: impl Future<Output = Result<T>> + Send,
    ) -> impl Future<Output = Result<T>> + Send {
        async move {
            if verb == "list" {
                self.may_list.subscribe().wait_for(|may| *may).await.expect("the store is there");
            }
            let answer = call.await;
            self.ended.send_modify(|ended| *ended.entry(verb).or_default() += 1);
            answer
        }
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        let answer = self.inner.claim(request).await;
        if self.loses.swap(false, Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Unavailable, "claim", "the connection was reset").unknown());
        }
        answer
    }
}

/// Two servers with the same keys before one store.
struct Servers {
    a: Client,
    b: Client,
    store_of_a: Arc<Watched>,
}

impl Servers {
    fn over(store: &Arc<dyn Storage>) -> Self {
        let keys = Arc::new(ReceiptKeys::generate(&SeededRng::new(7)));
        let (ended, may_list) = (watch::Sender::default(), watch::Sender::new(true));
        let store_of_a =
            Arc::new(Watched { inner: store.clone(), ended, may_list, loses: AtomicBool::new(false) });
        let a = Client::with_keys(store_of_a.clone(), keys.clone());
        Self { a, b: Client::with_keys(store.clone(), keys), store_of_a }
    }

    /// An answer of the first server, which no client has read yet.
    async fn ask_a(&self, body: &Value) -> Response<Body> {
        let routed = self.a.service.as_principal(Principal::anybody());
        routed.oneshot(claim_request(body)).await.expect("it never fails").map(Body::new)
    }

    /// How many calls of a verb have ended at the first server.
    fn ended(&self, verb: &str) -> usize {
        self.store_of_a.ended.borrow().get(verb).copied().unwrap_or_default()
    }

    async fn until_a_has_ended(&self, verb: &str, count: usize) {
        let mut ended = self.store_of_a.ended.subscribe();
        let enough = |ended: &HashMap<&'static str, usize>| ended.get(verb).is_some_and(|now| *now >= count);
        ended.wait_for(enough).await.expect("the store is there");
    }
}

fn repeat_of(body: &Value) -> Value {
    let mut body = body.clone();
    body["repeat"] = json!(true);
    body
}

/// Runs a test on every store that needs no server.
async fn on_each_store(test: impl AsyncFn(Servers)) {
    let dir = tempfile::tempdir().expect("there is room");
    let sqlite = format!("sqlite:{}", dir.path().join("jobs.db").display());
    let files = format!("file:{}", dir.path().join("jobs").display());
    for url in ["memory:", &sqlite, &files] {
        let store = queue::open(url).await.expect("it opens");
        test(Servers::over(&store)).await;
    }
}

/// The job goes on as if the first claim had never been: it is not charged.
async fn is_held_by_nobody(client: &Client, id: &str) {
    let mut body = claim_of(99, 1);
    body["wait_ms"] = json!(30_000);
    let claimed = client.post("/v1/queues/q/claim", &body).await;
    assert_eq!((&claimed["jobs"][0]["id"], &claimed["jobs"][0]["attempt"]), (&json!(id), &json!(1)));
}

/// The job is the repeater's: it settles it, and no other claim brought it.
async fn is_held_by(client: &Client, again: &Value) {
    assert_eq!(client.claim("q", 98, 1).await, Vec::<Value>::new(), "it is held");
    assert_eq!(client.settle(&again["jobs"][0], "complete", json!({})).await["outcome"], "done");
}

#[tokio::test]
async fn what_a_claim_leases_after_it_was_repeated_at_another_server_goes_back() {
    on_each_store(async |servers: Servers| {
        let mut body = claim_of(1, 1);
        body["wait_ms"] = json!(20_000);
        let repeat = async {
            servers.until_a_has_ended("subscribe", 1).await;
            let again = servers.b.post("/v1/queues/q/claim", &repeat_of(&body)).await;
            assert_eq!(again["jobs"], json!([]));
            servers.b.enqueue("q", "a").await;
        };
        // The balancer takes the answer of a client that has disconnected.
        let (lost, ()) = tokio::join!(servers.ask_a(&body), repeat);
        let lost = to_bytes(lost.into_body(), usize::MAX).await.expect("it is whole");
        assert!(String::from_utf8_lossy(&lost).contains("\"a\""), "the first claim leased it");
        is_held_by_nobody(&servers.b, "a").await;
    })
    .await;
}

#[tokio::test]
async fn what_another_server_has_handed_out_again_is_not_given_back_by_the_first() {
    on_each_store(async |servers: Servers| {
        servers.a.enqueue("q", "a").await;
        let lost = servers.ask_a(&claim_of(1, 1)).await;
        let again = servers.b.post("/v1/queues/q/claim", &repeat_of(&claim_of(1, 1))).await;
        assert_eq!(again["jobs"][0]["id"], "a");
        let before = servers.ended("apply");
        drop(lost);
        servers.until_a_has_ended("apply", before + 1).await;
        is_held_by(&servers.b, &again).await;
    })
    .await;
}

#[tokio::test]
async fn what_a_server_lost_on_its_way_from_the_store_is_the_repeater_s() {
    on_each_store(async |servers: Servers| {
        servers.a.enqueue("q", "a").await;
        servers.store_of_a.loses.store(true, Ordering::Relaxed);
        servers.store_of_a.may_list.send_replace(false);
        let lost = servers.ask_a(&claim_of(1, 1)).await;
        assert_eq!(lost.status(), 503);
        let again = servers.b.post("/v1/queues/q/claim", &repeat_of(&claim_of(1, 1))).await;
        assert_eq!(again["jobs"][0]["id"], "a");
        let looked = servers.ended("list");
        servers.store_of_a.may_list.send_replace(true);
        servers.until_a_has_ended("list", looked + 2).await;
        is_held_by(&servers.b, &again).await;
    })
    .await;
}

#[tokio::test]
async fn of_two_repetitions_the_later_one_has_the_jobs() {
    on_each_store(async |servers: Servers| the_later_repetition_has_the_job(&servers).await).await;
}

#[tokio::test]
async fn two_repetitions_in_the_same_millisecond_are_told_apart() {
    let (store, _still) = store_and_clock();
    the_later_repetition_has_the_job(&Servers::over(&store)).await;
}

async fn the_later_repetition_has_the_job(servers: &Servers) {
    servers.b.enqueue("q", "a").await;
    servers.b.claim("q", 1, 1).await;
    let lost = servers.ask_a(&repeat_of(&claim_of(1, 1))).await;
    let again = servers.b.post("/v1/queues/q/claim", &repeat_of(&claim_of(1, 1))).await;
    let before = servers.ended("apply");
    drop(lost);
    servers.until_a_has_ended("apply", before + 1).await;
    // What was stale is decided a second time in the same task.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    is_held_by(&servers.b, &again).await;
}

#[tokio::test]
async fn a_job_that_is_handed_out_again_has_a_whole_lease() {
    on_each_store(async |servers: Servers| {
        servers.a.enqueue("q", "a").await;
        servers.a.claim("q", 1, 1).await;
        let again = servers.b.post("/v1/queues/q/claim", &repeat_of(&claim_of(1, 1))).await;
        assert!(again["jobs"][0]["lease_ms"].as_u64() >= Some(30_000), "{again}");
        is_held_by(&servers.b, &again).await;
    })
    .await;
}
