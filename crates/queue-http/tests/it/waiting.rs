//! Claims that wait in a line.

use crate::client::{Client, claim_of};
use futures_util::{FutureExt, StreamExt, stream::FuturesUnordered};
use queue_core::{ClaimRequest, Claimed, Result, Storage, StorageLayer};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::time::{Instant, sleep};

/// Counts the claims of a store, each of which takes a while.
#[derive(Debug)]
struct Counting {
    inner: Arc<dyn Storage>,
    claims: AtomicUsize,
    takes: Duration,
}

#[async_trait::async_trait]
impl StorageLayer for Counting {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.inner
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        self.claims.fetch_add(1, Ordering::Relaxed);
        sleep(self.takes).await;
        self.inner.claim(request).await
    }
}

async fn counting(takes: Duration) -> (Client, Arc<Counting>) {
    let inner = queue::open("memory:").await.expect("memory is always there");
    let counting = Arc::new(Counting { inner, claims: AtomicUsize::new(0), takes });
    (Client::on(counting.clone()), counting)
}

async fn waits(client: &Client, claim: u128, wait_ms: u64) -> (u128, Value, Instant) {
    let mut body = claim_of(claim, 1);
    body["worker"] = json!(format!("w{claim}"));
    body["wait_ms"] = json!(wait_ms);
    let answer = client.post("/v1/queues/q/claim", &body).await;
    (claim, answer, Instant::now())
}

#[tokio::test(start_paused = true)]
async fn a_waiting_claim_gets_a_job_as_soon_as_it_comes() {
    let client = Client::new().await;
    let begun = Instant::now();
    let enqueue = async {
        sleep(Duration::from_secs(7)).await;
        client.enqueue("q", "a").await;
    };
    let ((_, answer, at), ()) = tokio::join!(waits(&client, 1, 20_000), enqueue);
    assert_eq!(answer["jobs"][0]["id"], "a");
    assert!(at - begun < Duration::from_millis(7_100), "{:?}", at - begun);
    let waited = answer["waited_ms"].as_u64().expect("a number");
    assert!((7_000..=7_100).contains(&waited), "{waited}");
}

#[tokio::test(start_paused = true)]
async fn a_thousand_idle_workers_cost_the_store_as_much_as_one() {
    let (client, store) = counting(Duration::ZERO).await;
    let mut waiting: FuturesUnordered<_> = (0..1000).map(|claim| waits(&client, claim, 20_000)).collect();
    while let Some((_, answer, _)) = waiting.next().await {
        assert_eq!(answer["jobs"], json!([]));
    }
    // Those that came first asked before there was a line; then there is one look a second.
    let claims = store.claims.load(Ordering::Relaxed);
    assert!(claims < 1000 + 100, "{claims} claims in 20 s");
    let before = store.claims.load(Ordering::Relaxed);
    // Workers arrive one after the other, and then there is a line already.
    let arriving = |claim: u64| {
        let client = &client;
        async move {
            sleep(Duration::from_millis(claim)).await;
            waits(client, 1_000_000 + u128::from(claim), 20_000).await
        }
    };
    let mut waiting: FuturesUnordered<_> = (1..=1000).map(arriving).collect();
    while waiting.next().await.is_some() {}
    let claims = store.claims.load(Ordering::Relaxed) - before;
    assert!(claims < 30, "{claims} claims in 21 s");
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_longest_gets_the_first_job() {
    let client = Client::new().await;
    let waiting = |claim: u128| {
        let client = &client;
        async move {
            sleep(Duration::from_millis(100 * claim as u64)).await;
            waits(client, claim, 30_000).await
        }
    };
    let mut line: FuturesUnordered<_> = (1..=4).map(waiting).collect();
    let enqueue = async {
        for number in 0..4 {
            sleep(Duration::from_secs(5)).await;
            client.enqueue("q", &format!("job-{number}")).await;
        }
    };
    let order = async {
        let mut order = Vec::new();
        while let Some((claim, answer, _)) = line.next().await {
            order.push((claim, answer["jobs"][0]["id"].clone()));
        }
        order
    };
    let (order, ()) = tokio::join!(order, enqueue);
    assert_eq!(order, (1..=4).map(|at| (at, json!(format!("job-{}", at - 1)))).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_line_melts_when_many_jobs_come_at_once() {
    let (client, _) = counting(Duration::from_millis(50)).await;
    let mut line: FuturesUnordered<_> = (1..=64).map(|claim| waits(&client, claim, 30_000)).collect();
    let enqueue = async {
        sleep(Duration::from_secs(3)).await;
        let jobs: Vec<Value> = (0..64).map(|number| json!({"id": number.to_string()})).collect();
        client.post("/v1/queues/q/jobs", &json!({"jobs": jobs})).await;
        Instant::now()
    };
    let served = async {
        let mut last = Instant::now();
        while let Some((_, answer, at)) = line.next().await {
            assert_eq!(answer["jobs"].as_array().map(Vec::len), Some(1));
            last = at;
        }
        last
    };
    let (last, enqueued) = tokio::join!(served, enqueue);
    // One after the other would take 3.2 s.
    assert!(last - enqueued < Duration::from_secs(1), "{:?}", last - enqueued);
}

#[tokio::test(start_paused = true)]
async fn a_delayed_job_is_claimed_when_its_time_comes() {
    let client = Client::new().await;
    client.post("/v1/queues/q/jobs", &json!({"jobs": [{"id": "a", "delay_ms": 300}]})).await;
    // The store's clock is not tokio's, so only the real time can show it.
    tokio::time::resume();
    let (_, answer, _) = waits(&client, 1, 5_000).await;
    assert_eq!(answer["jobs"][0]["id"], "a");
}

#[tokio::test(start_paused = true)]
async fn a_service_that_closes_lets_its_line_go_and_gives_nothing_away() {
    let client = Client::new().await;
    let line: FuturesUnordered<_> = (1..=8).map(|claim| waits(&client, claim, 60_000)).collect();
    let closing = async {
        sleep(Duration::from_secs(1)).await;
        client.service.close().await;
    };
    let begun = Instant::now();
    let (answers, ()) = tokio::join!(line.collect::<Vec<_>>(), closing);
    assert_eq!(answers.len(), 8);
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_is_repeated_while_it_waits_ends_and_takes_nothing_afterwards() {
    let client = Client::new().await;
    let repeat = async {
        sleep(Duration::from_secs(1)).await;
        let mut body = claim_of(1, 1);
        body["worker"] = json!("w1");
        body["repeat"] = json!(true);
        let again = client.post("/v1/queues/q/claim", &body).await;
        client.enqueue("q", "a").await;
        again
    };
    let begun = Instant::now();
    let ((_, first, at), again) = tokio::join!(waits(&client, 1, 60_000), repeat);
    assert_eq!((&first["jobs"], &again["jobs"]), (&json!([]), &json!([])));
    assert!(at - begun < Duration::from_secs(2), "{:?}", at - begun);
    assert_eq!(client.state("q", "a").await, "queued");
}

#[tokio::test(start_paused = true)]
async fn a_claim_id_that_is_in_use_is_refused() {
    let client = Client::new().await;
    let second = async {
        sleep(Duration::from_secs(1)).await;
        let mut body = claim_of(1, 1);
        body["worker"] = json!("w1");
        client.call(axum::http::Method::POST, "/v1/queues/q/claim", body.to_string()).await
    };
    let (_, (status, problem)) = tokio::join!(waits(&client, 1, 3_000), second);
    assert_eq!((status.as_u16(), &problem["kind"]), (409, &json!("conflict")));
}

#[tokio::test(start_paused = true)]
async fn waits_of_one_token_are_bounded() {
    let client = Client::new().await;
    let waiting: FuturesUnordered<_> =
        (1..=queue_http::Principal::WAITS_MAX as u128).map(|claim| waits(&client, claim, 5_000)).collect();
    let one_more = async {
        sleep(Duration::from_secs(1)).await;
        let mut body = claim_of(999_999, 1);
        body["wait_ms"] = json!(5_000);
        client.call(axum::http::Method::POST, "/v1/queues/q/claim", body.to_string()).await
    };
    let (_, (status, problem)) = tokio::join!(waiting.collect::<Vec<_>>(), one_more);
    assert_eq!((status.as_u16(), &problem["kind"]), (429, &json!("too_many")));
    assert!(problem["retry_after_ms"].is_u64());
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_is_to_drain_hears_of_it_in_its_waiting_claim_and_gets_no_more_jobs() {
    let client = Client::new().await;
    client.post("/v1/workers", &json!({"worker": "w1", "queues": ["q"]})).await;
    let drain = async {
        sleep(Duration::from_secs(1)).await;
        client.post("/v1/workers:drain", &json!({"worker": "anybody/w1"})).await
    };
    let begun = Instant::now();
    let ((_, answer, at), asked) = tokio::join!(waits(&client, 1, 60_000), drain);
    assert_eq!((&answer["drain"], &asked["is_present"]), (&json!(true), &json!(true)));
    assert!(at - begun < Duration::from_secs(2), "{:?}", at - begun);
    client.enqueue("q", "a").await;
    let mut body = claim_of(2, 1);
    (body["worker"], body["wait_ms"]) = (json!("w1"), json!(60_000));
    let again = client.post("/v1/queues/q/claim", &body).await;
    assert_eq!((&again["drain"], &again["jobs"]), (&json!(true), &json!([])));
    assert!(at.elapsed() < Duration::from_secs(2), "{:?}", at.elapsed());
    let (_, other, _) = waits(&client, 3, 0).await;
    assert_eq!((&other["drain"], &other["jobs"][0]["id"]), (&json!(false), &json!("a")));
}

/// As in a server with a runtime for each core. The claim that is not driven would be the first of
/// one line for all.
#[test]
fn a_claim_gets_a_job_beside_one_that_waits_on_a_runtime_that_is_not_driven() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().expect("it starts");
    let (stands, lives) = (runtime(), runtime());
    let client = lives.block_on(Client::new());
    let mut kept = Box::pin(waits(&client, 1, 20_000));
    stands.block_on(async {
        for _ in 0..50 {
            assert!((&mut kept).now_or_never().is_none(), "there is no job");
            tokio::task::yield_now().await;
        }
    });
    let (claimed, ()) =
        lives.block_on(async { tokio::join!(waits(&client, 2, 20_000), client.enqueue("q", "a")) });
    assert_eq!(claimed.1["jobs"][0]["id"], "a");
}
