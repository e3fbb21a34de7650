//! What the service does for workers that cannot do it themselves.

use crate::client::{Client, store_and_clock};
use queue::{
    Queue,
    schedules::{Schedule, Timing},
};
use queue_core::{JobId, QueueName, State};
use serde_json::json;
use std::time::Duration;

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
