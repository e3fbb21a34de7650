//! Tests of the FIFO: its order, its acknowledgements, and its HTTP API.

use crate::stores::{in_paused_time, on_each_store, tells};
use queue_faces::{
    Stage,
    fifo::{Ack, Fifo, HttpClient, demo, serve},
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, net::Ipv4Addr, sync::Arc, time::Duration};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

const LONG: Duration = Duration::from_mins(5);
/// How long a task that must become visible may take.
const PATIENT: Duration = Duration::from_secs(30);

fn fifo(stage: &Stage) -> Fifo {
    Fifo::new(stage.store(), stage.queue(), LONG).expect("valid")
}

/// Runs a client against a server of its own.
async fn served(stage: &Stage, client: impl AsyncFnOnce(HttpClient)) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
    let address = listener.local_addr().expect("bound");
    let stop = CancellationToken::new();
    let (ended, ()) = tokio::join!(serve(listener, Arc::new(fifo(stage)), stop.clone()), async {
        client(HttpClient::new(address)).await;
        stop.cancel();
    });
    ended.expect("serves");
}

#[tokio::test]
async fn the_demonstration_tells_what_happens() {
    let expected = [
        "POST /tasks ada.png: 202",
        "POST /tasks bob.png: 202",
        "POST /tasks eve.png: 202",
        "GET /tasks/pending: 200, 3 tasks",
        "a worker takes ada.png, attempt 1",
        "a worker takes bob.png, attempt 1",
        "the worker acknowledges bob.png: done",
        "GET /tasks/ID of bob.png: 200, completed",
        "a second worker takes eve.png, attempt 1",
        "GET /tasks/ID of eve.png: 200, processing",
        "the second worker hangs",
        "the first worker, which does not hold it, acknowledges eve.png: not held, so nothing is changed",
        "the first worker, once it is visible again, takes eve.png, attempt 2",
        "the second worker, too late, acknowledges eve.png: not held, so nothing is changed",
        "the first worker acknowledges eve.png: done",
        "the first worker acknowledges ada.png: done",
        "0 tasks are left",
        "the server has stopped",
    ];
    tells(demo, &expected).await;
}

#[tokio::test]
async fn tasks_come_in_the_order_of_their_enqueues_and_stay_hidden_while_they_are_held() {
    on_each_store(async |stage| {
        let fifo = fifo(stage);
        for n in 0..5 {
            fifo.enqueue(json!(n)).await.expect("stored");
        }
        for n in 0..5 {
            let task = fifo.dequeue().await.expect("claims").expect("visible");
            assert_eq!((task.payload, task.attempt), (json!(n), 1));
        }
        assert_eq!(fifo.dequeue().await.expect("claims"), None);
        assert_eq!(fifo.size().await.expect("counts"), 5);
    })
    .await;
}

#[tokio::test]
async fn an_id_that_this_handle_did_not_take_is_not_acknowledged() {
    on_each_store(async |stage| {
        let (ours, theirs) = (fifo(stage), fifo(stage));
        let waiting = ours.enqueue(json!("work")).await.expect("stored");
        assert_eq!(ours.ack(waiting.as_str()).await.expect("answers"), Ack::NotHeld);
        assert_eq!(ours.ack("no such task").await.expect("answers"), Ack::NotHeld);

        let task = theirs.dequeue().await.expect("claims").expect("visible");
        assert_eq!(ours.ack(task.id.as_str()).await.expect("answers"), Ack::NotHeld);
        assert_eq!(ours.size().await.expect("counts"), 1);
        assert_eq!(theirs.ack(task.id.as_str()).await.expect("answers"), Ack::Done);
        assert_eq!(theirs.ack(task.id.as_str()).await.expect("answers"), Ack::NotHeld);
        assert_eq!(ours.size().await.expect("counts"), 0);
    })
    .await;
}

#[tokio::test]
async fn a_task_that_nobody_acknowledges_comes_back_without_end() {
    on_each_store(async |stage| {
        let short = Duration::from_secs(1);
        let fifo = Fifo::new(stage.store(), stage.queue(), short).expect("valid");
        fifo.enqueue(json!("work")).await.expect("stored");
        for attempt in 1..=6 {
            let task = fifo.dequeue_within(PATIENT).await.expect("claims").expect("visible again");
            assert_eq!(task.attempt, attempt);
        }
    })
    .await;
}

#[tokio::test]
async fn every_accepted_request_is_a_task_of_its_own() {
    on_each_store(async |stage| {
        served(stage, async |client| {
            let posts = (0..20).map(|n| client.post("/tasks", json!({ "n": n }).to_string()));
            let answers = futures_util::future::try_join_all(posts).await.expect("answers");
            let ids: BTreeSet<String> = answers.iter().map(|(_, body)| body["id"].to_string()).collect();
            assert!(answers.iter().all(|(status, _)| *status == 202), "{answers:?}");
            assert_eq!(ids.len(), 20);

            let (_, pending) = client.get("/tasks/pending").await.expect("answers");
            let listed: BTreeSet<String> =
                pending.as_array().expect("a list").iter().map(|task| task["id"].to_string()).collect();
            assert_eq!(listed, ids);
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn a_task_is_shown_as_it_stands() {
    on_each_store(async |stage| {
        served(stage, async |client| {
            let (_, accepted) = client.post("/tasks", "null").await.expect("answers");
            let id = accepted["id"].as_str().expect("an id");
            let shown = async || client.get(&format!("/tasks/{id}")).await.expect("answers").1;
            assert_eq!(shown().await, json!({ "id": id, "state": "queued", "attempts": 0 }));

            let worker = fifo(stage);
            worker.dequeue().await.expect("claims").expect("visible");
            assert_eq!(shown().await, json!({ "id": id, "state": "processing", "attempts": 1 }));
            assert_eq!(worker.ack(id).await.expect("answers"), Ack::Done);
            assert_eq!(shown().await, json!({ "id": id, "state": "completed", "attempts": 1 }));
            let (_, pending) = client.get("/tasks/pending").await.expect("answers");
            assert_eq!(pending, json!([]));
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn requests_that_make_no_sense_are_refused_and_store_nothing() {
    on_each_store(async |stage| {
        served(stage, async |client| {
            let status = async |path: &str| client.get(path).await.expect("answers").0.as_u16();
            assert_eq!(status("/tasks/unknown").await, 404);
            assert_eq!(status("/tasks/a%00b").await, 400);
            assert_eq!(client.post("/tasks", "{ no json").await.expect("answers").0, 400);
            let long = Value::String("x".repeat(1 << 20));
            assert_eq!(client.post("/tasks", long.to_string()).await.expect("answers").0, 400);
            assert_eq!(fifo(stage).size().await.expect("counts"), 0);
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn a_store_that_cannot_answer_now_is_no_fault_of_the_request() {
    let stage = in_paused_time();
    stage.store().close().await.expect("closes");
    served(&stage, async |client| {
        assert_eq!(client.post("/tasks", "1").await.expect("answers").0, 503);
        assert_eq!(client.get("/tasks/pending").await.expect("answers").0, 503);
    })
    .await;
}
