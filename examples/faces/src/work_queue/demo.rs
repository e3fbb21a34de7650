//! The demonstration of the work queue: duplicates, a lost lease, retries and dead letters.

use super::{Mux, Task, TaskError, WorkQueue, serve};
use crate::{Result, Stage};
use queue::{
    RetryPolicy, Settled, State,
    worker::runtime::{Finality, handler_fn},
};
use serde_json::json;
use std::{
    future::{Ready, ready},
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// Nothing in the demonstration takes this long.
const LONG: Duration = Duration::from_mins(5);
const TOMORROW: Duration = Duration::from_hours(24);
/// The lease of a program that hangs. Its claim has two thirds of it to be answered.
const SHORT: Duration = Duration::from_secs(2);
/// How often the demonstration looks whether the work is done.
const LOOK: Duration = Duration::from_millis(10);

/// Schedules tasks, loses a lease, and lets a processor work until only what is due tomorrow is
/// left.
///
/// # Errors
/// The errors of the store.
pub async fn demo(stage: &Stage) -> Result {
    let work = work_queue(stage, LONG)?;
    refuse(stage)?;
    lose_a_lease(stage, &work).await?;

    schedule(stage, &work, "welcome-ada", "email", Duration::ZERO).await?;
    schedule(stage, &work, "welcome-ada", "email", Duration::ZERO).await?;
    schedule(stage, &work, "invoice-8", "flaky", Duration::ZERO).await?;
    schedule(stage, &work, "invoice-9", "broken", Duration::ZERO).await?;
    schedule(stage, &work, "invoice-10", "fax", Duration::ZERO).await?;
    schedule(stage, &work, "digest", "email", TOMORROW).await?;
    process_until(stage, &work, 1).await?;

    let counts = work.counts().await?;
    stage.say(format!(
        "{} done, {} dead, {} for tomorrow",
        counts.of(State::Completed),
        counts.of(State::Failed),
        counts.scheduled
    ));
    stage.say(format!("dead letters older than a day removed: {}", work.cleanup(TOMORROW).await?));
    stage.say(format!("all dead letters removed: {}", work.cleanup(Duration::ZERO).await?));
    Ok(())
}

fn work_queue(stage: &Stage, lease: Duration) -> queue::Result<WorkQueue> {
    WorkQueue::new(stage.store(), stage.queue(), lease, RetryPolicy::Fixed(Duration::from_millis(20)))
}

fn refuse(stage: &Stage) -> Result {
    let nothing = || handler_fn(|_: Task| async { Ok::<(), TaskError>(()) });
    let twice = Mux::new().on("email", nothing())?.on("email", nothing());
    stage.say(format!("a kind twice: {}", twice.err().ok_or("it was taken")?.message()));
    let empty = Mux::new().on("", nothing());
    stage.say(format!("no kind: {}", empty.err().ok_or("it was taken")?.message()));
    Ok(())
}

async fn schedule(stage: &Stage, work: &WorkQueue, name: &str, kind: &str, delay: Duration) -> Result {
    let is_inserted = work.schedule(name, kind, json!({ "for": name }), delay).await?;
    let answer = if is_inserted { "inserted" } else { "is there already" };
    stage.say(format!("schedule {name}, kind {kind}: {answer}"));
    Ok(())
}

/// A program claims a task and hangs; another does it, and the first can change nothing any more.
async fn lose_a_lease(stage: &Stage, work: &WorkQueue) -> Result {
    schedule(stage, work, "invoice-7", "email", Duration::ZERO).await?;
    let hanging = work_queue(stage, SHORT)?;
    let task = hanging.claim(1).await?.pop().ok_or("nothing is due")?;
    stage.say(format!("a program claims {} and hangs", task.id()));
    process_until(stage, work, 0).await?;
    tell(stage, "the hanging program marks it done", hanging.mark_done(&task).await?);
    let marked = hanging.mark_failed(&task, "too slow", Finality::Retryable).await?;
    tell(stage, "the hanging program marks it failed", marked);
    Ok(())
}

fn tell(stage: &Stage, what: &str, settled: Settled) {
    let answer = match settled {
        Settled::Done => "done",
        Settled::LeaseLost => "lease lost, nothing is changed",
        Settled::Missing => "the task is gone",
    };
    stage.say(format!("{what}: {answer}"));
}

/// Processes one task at a time until so many are left.
async fn process_until(stage: &Stage, work: &WorkQueue, left: u64) -> Result {
    let stop = CancellationToken::new();
    let group = serve(work, handlers(stage)?, 1, TOMORROW)?;
    let (ended, watched) = tokio::join!(group.run(stop.clone()), async {
        let watched = watch(work, left).await;
        stop.cancel();
        watched
    });
    ended?;
    Ok(watched?)
}

async fn watch(work: &WorkQueue, left: u64) -> queue::Result<()> {
    while work.counts().await?.unfinished() > left {
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}

fn handlers(stage: &Stage) -> queue::Result<Mux> {
    let (for_email, for_flaky, for_broken) = (stage.clone(), stage.clone(), stage.clone());
    Mux::new()
        .on("email", handler_fn(move |task: Task| finish(&for_email, &task, Ok(()))))?
        .on(
            "flaky",
            handler_fn(move |task: Task| {
                let busy = TaskError::Retryable("the printer is busy".to_owned());
                let outcome = if task.attempt() == 1 { Err(busy) } else { Ok(()) };
                finish(&for_flaky, &task, outcome)
            }),
        )?
        .on(
            "broken",
            handler_fn(move |task: Task| {
                let outcome = Err(TaskError::Terminal("no such customer".to_owned()));
                finish(&for_broken, &task, outcome)
            }),
        )
}

fn finish(stage: &Stage, task: &Task, outcome: Result<(), TaskError>) -> Ready<Result<(), TaskError>> {
    let answer = match &outcome {
        Ok(()) => "done".to_owned(),
        Err(TaskError::Retryable(message)) => format!("failed, will be tried again: {message}"),
        Err(TaskError::Terminal(message)) => format!("failed for good: {message}"),
    };
    stage.say(format!("  {} attempt {}: {answer}", task.id(), task.attempt()));
    ready(outcome)
}
