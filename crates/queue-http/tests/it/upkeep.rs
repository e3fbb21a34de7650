//! What the service does for workers that cannot do it themselves.

use crate::client::{Client, store_and_clock};
use axum::http::Method;
use queue::{
    Queue,
    schedules::{Schedule, Timing},
};
use queue_core::{JobId, ManualClock, QueueName, State, Storage};
use queue_testkit::fault::{Fault, FaultPlan, FaultStore, StorageVerb};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

/// Lets the tasks of the service run until something holds.
async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    for _ in 0..1000 {
        if holds().await {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("{what} never came to be");
}

#[tokio::test(start_paused = true)]
async fn a_lapsed_lease_is_ended_although_other_jobs_are_due() {
    let (storage, clock) = store_and_clock();
    let client = Client::on(storage);
    client.enqueue("q", "lapses").await;
    client.claim("q", 1, 1).await;
    for number in 0..5 {
        client.enqueue("q", &number.to_string()).await;
    }
    clock.advance(Duration::from_secs(31));
    tokio::time::advance(Duration::from_secs(31)).await;
    assert_eq!(client.claim("q", 2, 1).await.len(), 1);
    until("the rescue", async || client.state("q", "lapses").await == "failing").await;
}

/// A client of a store that fails on demand, with a job whose lease is over, and the clock.
async fn lapsed() -> (Client, Arc<FaultStore<dyn Storage>>, Arc<ManualClock>, Value) {
    let (storage, clock) = store_and_clock();
    let faulty = Arc::new(FaultStore::new(storage, FaultPlan::new(7)));
    let client = Client::on(faulty.clone());
    client.enqueue("q", "a").await;
    let job = client.claim("q", 1, 1).await.remove(0);
    clock.advance(Duration::from_secs(31));
    tokio::time::advance(Duration::from_secs(31)).await;
    (client, faulty, clock, job)
}

/// Sends the outcome of a job, which the store does not take.
async fn refused(client: &Client, job: &Value) {
    let body = json!({"items": [{"receipt": job["receipt"], "complete": {"result": 1}}]});
    let (status, problem) = client.call(Method::POST, "/v1/settle", body.to_string()).await;
    assert_eq!((status.as_u16(), &problem["kind"]), (503, &json!("unavailable")));
}

#[tokio::test(start_paused = true)]
async fn a_job_whose_outcome_the_store_did_not_take_is_left_to_its_worker() {
    let (client, faulty, _clock, job) = lapsed().await;
    faulty.next(StorageVerb::Apply, 1, &Fault::Refuse);
    refused(&client, &job).await;
    assert!(client.claim("q", 2, 1).await.is_empty(), "it is done, and is not to run again");
    assert_eq!(client.state("q", "a").await, "processing");
    let settled = client.settle(&job, "complete", json!({"result": 1})).await;
    assert_eq!(settled, json!({"outcome": "done", "state": "completed"}));
}

#[tokio::test(start_paused = true)]
async fn a_job_whose_worker_sends_its_outcome_no_more_is_rescued() {
    let (client, faulty, clock, job) = lapsed().await;
    faulty.next(StorageVerb::Apply, 1, &Fault::Refuse);
    refused(&client, &job).await;
    assert!(client.claim("q", 2, 1).await.is_empty());
    clock.advance(Duration::from_secs(10));
    tokio::time::advance(Duration::from_secs(10)).await;
    until("the rescue", async || client.claim("q", 3, 1).await.len() == 1).await;
    assert_eq!(client.settle(&job, "complete", json!({"result": 1})).await["outcome"], "lease_lost");
}

#[tokio::test(start_paused = true)]
async fn records_past_their_time_are_removed() {
    let (storage, clock) = store_and_clock();
    let client = Client::on(storage.clone());
    client.post("/v1/queues/q/jobs", &json!({"jobs": [{"id": "a", "keep_completed": 1000}]})).await;
    let job = client.claim("q", 1, 1).await.remove(0);
    client.settle(&job, "complete", json!({})).await;
    clock.advance(Duration::from_secs(2));
    let queue = QueueName::from_static("q");
    let kept = async || storage.counts(&queue).await.expect("counts").of(State::Completed);
    assert_eq!(kept().await, 1, "it counts as absent, and is still there");
    for claim in 2..20 {
        tokio::time::advance(Duration::from_secs(6)).await;
        client.claim("q", claim, 1).await;
    }
    until("the end of the record", async || kept().await == 0).await;
}

#[tokio::test]
async fn jobs_of_the_library_s_own_are_done_and_never_handed_out() {
    let (storage, clock) = store_and_clock();
    let client = Client::on(storage.clone());
    let jobs: Queue<u32> = Queue::new(storage, "q").expect("a queue");
    let every = Timing::every(Duration::from_mins(1)).expect("an interval");
    jobs.schedules().put(&Schedule::new("minutely", every, 7)).await.expect("it is stored");
    let shown = client.get("/v1/queues/q/schedules").await;
    assert_eq!(shown["schedules"][0]["schedule"], "minutely");
    // The clock stands at 1000 s, so the next whole minute comes after 20 s.
    clock.advance(Duration::from_secs(20));
    let claimed = client.claim("q", 1, 5).await;
    assert_eq!(claimed.len(), 1, "the job of the tick, and not the schedule");
    assert_eq!((&claimed[0]["payload"], &claimed[0]["kind"]), (&json!(7), &json!("default")));
    assert_eq!(client.post("/v1/queues/q/schedules/minutely/pause", &json!({})).await["outcome"], "done");
    assert_eq!(client.get("/v1/queues/q/schedules/minutely").await["state"], "paused");
    let ran = client.post("/v1/queues/q/schedules/minutely/run", &json!({})).await;
    assert!(JobId::new(ran["id"].as_str().expect("an id")).is_ok());
    assert_eq!(client.post("/v1/queues/q/schedules/minutely/remove", &json!({})).await["outcome"], "done");
}
