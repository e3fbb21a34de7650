//! The duties of workers that announce themselves at one server and claim at another.

use crate::client::{Client, claim_of};
use queue_core::{Duty, WorkerId};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Two servers over one store, and a worker that is known to the first alone.
struct Servers {
    a: Client,
    b: Client,
}

impl Servers {
    async fn new() -> Self {
        let a = Client::new().await;
        let b = Client::on(a.storage.clone());
        a.post("/v1/workers", &json!({"worker": "w1", "queues": ["q"], "ttl_ms": 600_000})).await;
        Self { a, b }
    }

    async fn ask(&self, duty: Duty) {
        let then = self.a.storage.set_duty(&WorkerId::from_static("anybody/w1"), duty).await;
        assert_eq!(then.expect("it keeps presence"), Some(duty));
    }
}

async fn claim(at: &Client, number: u128, wait_ms: u64) -> Value {
    let mut body = claim_of(number, 1);
    (body["worker"], body["wait_ms"]) = (json!("w1"), json!(wait_ms));
    at.post("/v1/queues/q/claim", &body).await
}

/// Longer than an answer of the store counts.
const A_WHILE: Duration = Duration::from_secs(2);

#[tokio::test(start_paused = true)]
async fn a_worker_that_claims_at_another_server_drains() {
    let servers = Servers::new().await;
    servers.a.enqueue("q", "a").await;
    servers.ask(Duty::Drain).await;
    let answer = claim(&servers.b, 1, 0).await;
    assert_eq!((&answer["jobs"], &answer["drain"]), (&json!([]), &json!(true)));
    let beat = servers
        .b
        .post("/v1/extend", &json!({"worker": "w1", "items": [{"receipt": "none", "by_ms": 30_000}]}))
        .await;
    assert_eq!(beat["drain"], true);
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_claims_at_another_server_is_paused_and_resumed() {
    let servers = Servers::new().await;
    servers.a.enqueue("q", "a").await;
    servers.ask(Duty::Pause).await;
    let answer = claim(&servers.b, 1, 0).await;
    assert_eq!((&answer["jobs"], &answer["paused"]), (&json!([]), &json!(true)));
    let resume = async {
        sleep(A_WHILE).await;
        servers.ask(Duty::Work).await;
        Instant::now()
    };
    let (rested, resumed) = tokio::join!(claim(&servers.b, 2, 60_000), resume);
    assert_eq!(rested["jobs"], json!([]));
    assert!(resumed.elapsed() < A_WHILE, "{:?}", resumed.elapsed());
    assert_eq!(claim(&servers.b, 3, 0).await["jobs"][0]["id"], "a");
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_waits_at_another_server_brings_nothing_once_its_worker_is_paused() {
    let servers = Servers::new().await;
    let pause = async {
        sleep(A_WHILE).await;
        servers.ask(Duty::Pause).await;
        sleep(A_WHILE).await;
        servers.a.enqueue("q", "a").await;
    };
    let (answer, ()) = tokio::join!(claim(&servers.b, 1, 60_000), pause);
    assert_eq!(answer["jobs"], json!([]));
}
