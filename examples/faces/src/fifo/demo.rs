//! The demonstration of the FIFO: tasks sent over HTTP, and two workers, of which one hangs.

use super::{Ack, Fifo, HttpClient, TakenTask, serve};
use crate::{Result, Stage};
use queue::worker::runtime::{Group, member_fn};
use serde_json::{Value, json};
use std::{net::Ipv4Addr, sync::Arc, time::Duration};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Nothing in the demonstration takes this long.
const LONG: Duration = Duration::from_mins(5);
/// The visibility timeout of a program that dies. Its claim has two thirds of it to be answered.
const SHORT: Duration = Duration::from_secs(2);

/// Serves the API, sends requests to it, and takes the tasks with two handles, one of which dies.
///
/// # Errors
/// The errors of the store and of the network.
pub async fn demo(stage: &Stage) -> Result {
    let fifo = Arc::new(Fifo::new(stage.store(), stage.queue(), LONG)?);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let client = HttpClient::new(listener.local_addr()?);

    let stop = CancellationToken::new();
    let for_server = fifo.clone();
    let group = Group::new().add("http", member_fn(move |stop| serve(listener, for_server, stop)));
    let (ended, shown) = tokio::join!(group.run(stop.clone()), async {
        let shown = show(stage, &fifo, &client).await;
        stop.cancel();
        shown
    });
    shown?;
    ended?;
    stage.say("the server has stopped");
    Ok(())
}

async fn show(stage: &Stage, fifo: &Fifo, client: &HttpClient) -> Result {
    for picture in ["ada.png", "bob.png", "eve.png"] {
        let (status, _) = client.post("/tasks", json!({ "resize": picture }).to_string()).await?;
        stage.say(format!("POST /tasks {picture}: {}", status.as_u16()));
    }
    let (status, pending) = client.get("/tasks/pending").await?;
    let waiting = pending.as_array().map_or(0, Vec::len);
    stage.say(format!("GET /tasks/pending: {}, {waiting} tasks", status.as_u16()));

    let ada = take(stage, "a worker", fifo).await?;
    let bob = take(stage, "a worker", fifo).await?;
    acknowledge(stage, "the worker", fifo, &bob).await?;
    ask(stage, client, &bob).await?;

    let dying = Fifo::new(stage.store(), stage.queue(), SHORT)?;
    let eve = take(stage, "a second worker", &dying).await?;
    ask(stage, client, &eve).await?;
    stage.say("the second worker hangs");
    acknowledge(stage, "the first worker, which does not hold it,", fifo, &eve).await?;

    let eve = take(stage, "the first worker, once it is visible again,", fifo).await?;
    acknowledge(stage, "the second worker, too late,", &dying, &eve).await?;
    acknowledge(stage, "the first worker", fifo, &eve).await?;
    acknowledge(stage, "the first worker", fifo, &ada).await?;
    stage.say(format!("{} tasks are left", fifo.size().await?));
    Ok(())
}

async fn take(stage: &Stage, who: &str, fifo: &Fifo) -> Result<TakenTask> {
    let task = fifo.dequeue_within(LONG).await?.ok_or("no task became visible")?;
    stage.say(format!("{who} takes {}, attempt {}", picture(&task), task.attempt));
    Ok(task)
}

async fn acknowledge(stage: &Stage, who: &str, fifo: &Fifo, task: &TakenTask) -> Result {
    let answer = match fifo.ack(task.id.as_str()).await? {
        Ack::Done => "done",
        Ack::NotHeld => "not held, so nothing is changed",
    };
    stage.say(format!("{who} acknowledges {}: {answer}", picture(task)));
    Ok(())
}

async fn ask(stage: &Stage, client: &HttpClient, task: &TakenTask) -> Result {
    let (status, shown) = client.get(&format!("/tasks/{}", task.id)).await?;
    let now = shown["state"].as_str().unwrap_or("unknown");
    stage.say(format!("GET /tasks/ID of {}: {}, {now}", picture(task), status.as_u16()));
    Ok(())
}

fn picture(task: &TakenTask) -> &str {
    task.payload.get("resize").and_then(Value::as_str).unwrap_or("a task")
}
