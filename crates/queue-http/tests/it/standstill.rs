//! Two servers before one store that stood still for longer than a lease: a worker of the first
//! settles a job which it has done, and claims come at the second.

use crate::client::{Client, claim_of, store_and_clock};
use axum::http::{Method, StatusCode};
use queue_core::{ManualClock, SeededRng, Storage};
use queue_http::ReceiptKeys;
use queue_testkit::fault::{Fault, FaultPlan, FaultStore, StorageVerb};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

/// The lease of the job.
const LEASE: Duration = Duration::from_secs(30);
const BEFORE_ITS_END: Duration = Duration::from_secs(29);
/// How long a server leaves leases alone that may have lapsed while the store stood still.
const LEFT_ALONE: Duration = Duration::from_secs(10);

struct Servers {
    a: Client,
    b: Client,
    /// What the first server and the second have before the store.
    way_of_a: Arc<FaultStore<dyn Storage>>,
    way_of_b: Arc<FaultStore<dyn Storage>>,
    clock: Arc<ManualClock>,
    /// The job that a worker of the first has claimed.
    job: Value,
}

impl Servers {
    async fn start() -> Self {
        let (store, clock) = store_and_clock();
        let way = || Arc::new(FaultStore::new(store.clone(), FaultPlan::new(7)));
        let (way_of_a, way_of_b) = (way(), way());
        let keys = Arc::new(ReceiptKeys::generate(&SeededRng::new(7)));
        let a = Client::with_keys(way_of_a.clone(), keys.clone());
        let b = Client::with_keys(way_of_b.clone(), keys);
        a.enqueue("q", "a").await;
        let job = a.claim("q", 1, 1).await.remove(0);
        Self { a, b, way_of_a, way_of_b, clock, job }
    }

    /// Both clocks go on.
    async fn pass(&self, time: Duration) {
        self.clock.advance(time);
        tokio::time::advance(time).await;
    }

    /// The worker has done the job, and the store does not take its outcome.
    async fn refuse_outcome(&self) {
        self.way_of_a.next(StorageVerb::Apply, 1, &Fault::Refuse);
        let body = json!({"items": [{"receipt": self.job["receipt"], "complete": {}}]});
        let (status, _) = self.a.call(Method::POST, "/v1/settle", body.to_string()).await;
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    }

    /// Whether a claim at the second server brings the job. If it is to fail, the store refuses it.
    async fn gives_job_out(&self, second: u64, fails: bool) -> bool {
        if fails {
            self.way_of_b.next(StorageVerb::Claim, 1, &Fault::Refuse);
        }
        let claim = claim_of(u128::from(100 + second), 1).to_string();
        let (status, answer) = self.b.call(Method::POST, "/v1/queues/q/claim", claim).await;
        assert_eq!(status == StatusCode::SERVICE_UNAVAILABLE, fails, "{answer}");
        answer["jobs"].as_array().is_some_and(|jobs| !jobs.is_empty())
    }

    /// The worker sends the outcome again.
    async fn is_done_once(&self) {
        let settled = self.a.settle(&self.job, "complete", json!({})).await;
        assert_eq!(settled, json!({"outcome": "done", "state": "completed"}));
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asked_nothing_meanwhile_leaves_the_job_to_its_worker() {
    let servers = Servers::start().await;
    assert!(servers.b.claim("q", 2, 1).await.is_empty(), "it is held");
    servers.pass(2 * LEASE).await;
    servers.refuse_outcome().await;
    assert!(servers.b.claim("q", 3, 1).await.is_empty(), "it is done, and must not run again");
    servers.is_done_once().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_whose_own_claims_failed_leaves_the_job_to_its_worker() {
    let servers = Servers::start().await;
    servers.pass(BEFORE_ITS_END).await;
    assert!(servers.b.claim("q", 2, 1).await.is_empty(), "it is held");
    servers.way_of_b.next(StorageVerb::Claim, 1, &Fault::Refuse);
    let claim = claim_of(3, 1).to_string();
    let (status, _) = servers.b.call(Method::POST, "/v1/queues/q/claim", claim).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    servers.pass(Duration::from_secs(2)).await;
    servers.refuse_outcome().await;
    assert!(servers.b.claim("q", 4, 1).await.is_empty(), "it is done, and must not run again");
    servers.is_done_once().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_whose_store_lists_before_it_takes_claims_leaves_the_job_to_its_worker() {
    let servers = Servers::start().await;
    assert!(servers.b.claim("q", 2, 1).await.is_empty(), "it is held");
    servers.pass(2 * LEASE).await;
    servers.way_of_b.next(StorageVerb::Claim, 1, &Fault::Delay(Duration::from_millis(100)));
    assert!(servers.b.claim("q", 3, 1).await.is_empty(), "it is done, and must not run again");
    servers.is_done_once().await;
}

#[tokio::test(start_paused = true)]
async fn claims_that_fail_now_and_then_do_not_delay_a_rescue() {
    let servers = Servers::start().await;
    let (mut second, lapses) = (0, LEASE.as_secs());
    while !servers.gives_job_out(second, second % 5 == 0).await {
        second += 1;
        assert!(second <= lapses + LEFT_ALONE.as_secs() + 1, "the lease lapsed after {lapses} s");
        servers.pass(Duration::from_secs(1)).await;
    }
    assert!(second >= lapses, "it is held");
}

#[tokio::test(start_paused = true)]
async fn a_silence_among_claims_that_fail_now_and_then_leaves_the_job_to_its_worker() {
    let servers = Servers::start().await;
    let (silence, lapses) = (25..35, LEASE.as_secs());
    for second in 0..lapses + LEFT_ALONE.as_secs() {
        let fails = second % 5 == 0 || silence.contains(&second);
        assert!(!servers.gives_job_out(second, fails).await, "it is done, and must not run again");
        servers.pass(Duration::from_secs(1)).await;
    }
    servers.is_done_once().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_was_just_started_leaves_the_job_to_its_worker() {
    let servers = Servers::start().await;
    servers.pass(2 * LEASE).await;
    servers.refuse_outcome().await;
    assert!(servers.b.claim("q", 2, 1).await.is_empty(), "it is done, and must not run again");
    servers.is_done_once().await;
}

#[tokio::test(start_paused = true)]
async fn a_settle_whose_job_the_store_could_not_read_is_left_to_its_worker() {
    let servers = Servers::start().await;
    let job = json!({"jobs": [{"id": "b", "on_failure": "tidy"}]});
    servers.a.post("/v1/queues/q/jobs", &job).await;
    let job = servers.a.claim("q", 2, 1).await.remove(0);
    servers.pass(LEASE + Duration::from_secs(1)).await;
    servers.way_of_a.next(StorageVerb::Get, 1, &Fault::Refuse);
    let fail = json!({"error": {"name": "E", "message": "m"}, "cause": "terminal"});
    let unread = servers.a.settle(&job, "fail", fail.clone()).await;
    assert_eq!(unread["problem"]["kind"], "unavailable", "so it is sent again: {unread}");
    assert!(servers.a.claim("q", 3, 2).await.is_empty(), "it is done, and must not run again");
    assert_eq!(servers.a.settle(&job, "fail", fail).await["outcome"], "done");
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_lapsed_unseen_is_ended_once_its_worker_had_time_to_settle() {
    let servers = Servers::start().await;
    servers.pass(2 * LEASE).await;
    let mut waits = claim_of(2, 1);
    waits["wait_ms"] = json!(60_000);
    let began = tokio::time::Instant::now();
    let passing = async {
        for _ in 0..20 {
            servers.pass(LEFT_ALONE / 10).await;
        }
    };
    let (claimed, ()) = tokio::join!(servers.b.post("/v1/queues/q/claim", &waits), passing);
    assert_eq!(claimed["jobs"][0]["id"], "a", "{claimed}");
    assert!(began.elapsed() >= LEFT_ALONE);
}

#[tokio::test(start_paused = true)]
async fn a_lease_is_ended_also_by_claims_that_come_once_a_minute() {
    let servers = Servers::start().await;
    servers.pass(Duration::from_mins(1)).await;
    assert!(servers.b.claim("q", 2, 1).await.is_empty(), "nothing is known of the last minute");
    servers.pass(Duration::from_mins(1)).await;
    assert_eq!(servers.b.claim("q", 3, 1).await.len(), 1, "it had a minute to settle");
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_waits_gets_the_job_as_soon_as_its_lease_lapses() {
    let servers = Servers::start().await;
    let mut waits = claim_of(2, 1);
    waits["wait_ms"] = json!(60_000);
    let began = tokio::time::Instant::now();
    let passing = async {
        for _ in 0..60 {
            servers.pass(LEASE / 30).await;
        }
    };
    let (claimed, ()) = tokio::join!(
        async {
            let claimed = servers.b.post("/v1/queues/q/claim", &waits).await;
            (claimed, began.elapsed())
        },
        passing
    );
    assert_eq!(claimed.0["jobs"][0]["id"], "a", "{}", claimed.0);
    assert!(claimed.1 < LEASE + Duration::from_secs(3), "{:?}", claimed.1);
}
