//! The demonstration of the task queue: priorities, retries, and several workers that share many
//! tasks.

use super::{Handlers, Slots, Task, TaskQueue, probe::Probe};
use crate::{Result, Stage};
use queue::worker::{Context, JobError, WorkerEvent, runtime::Group};
use serde::{Deserialize, Serialize};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

const MAX_ATTEMPTS: u32 = 3;
const MANY: u32 = 500;
const WORKERS: usize = 3;
const ONE_BY_ONE: Slots = Slots { running: 1, prefetched: 0 };
const SOME: Slots = Slots { running: 4, prefetched: 4 };
/// How often a worker looks whether the others have emptied the queue, of which there need be no
/// hint.
const LOOK: Duration = Duration::from_millis(20);

#[derive(Debug, Serialize, Deserialize)]
struct Greet {
    name: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Add(u32, u32);

#[derive(Debug, Serialize, Deserialize)]
struct Fetch {
    fails: u32,
}

impl Task for Greet {
    const KIND: &'static str = "greet";
    type Output = String;
}

impl Task for Add {
    const KIND: &'static str = "add";
    type Output = u32;
}

impl Task for Fetch {
    const KIND: &'static str = "fetch";
    type Output = ();
}

/// Submits tasks of three types, by priority; lets some fail; and has several workers share many.
///
/// # Errors
/// The errors of the store.
pub async fn demo(stage: &Stage) -> Result {
    let tasks = TaskQueue::new(stage.store(), stage.queue(), MAX_ATTEMPTS, |n| Some(growing(n)))?;
    by_priority(stage, &tasks).await?;
    until_the_attempts_are_spent(stage, &tasks).await?;
    many(stage, &tasks).await
}

/// The program's own idea of how long to wait after failure number `n`.
fn growing(n: u32) -> Duration {
    Duration::from_millis(10) * n
}

async fn by_priority(stage: &Stage, tasks: &TaskQueue) -> Result {
    let greet = |name: &str| Greet { name: name.to_owned() };
    let later = tasks.submit("later", greet("Bob"), 10).await?.is_new();
    let normal = tasks.submit("normal", Add(20, 22), 0).await?.is_new();
    let urgent = tasks.submit("urgent", greet("Ada"), -10).await?.is_new();
    stage.say(format!("submitted later: {later}, normal: {normal}, urgent: {urgent}"));
    work_through(stage, tasks).await?;
    let (greeting, sum) = (tasks.output::<Greet>("urgent").await?, tasks.output::<Add>("normal").await?);
    stage.say(format!("outputs: {}, {}", greeting.ok_or("no greeting")?, sum.ok_or("no sum")?));
    Ok(())
}

async fn until_the_attempts_are_spent(stage: &Stage, tasks: &TaskQueue) -> Result {
    let _new = tasks.submit("flaky", Fetch { fails: 2 }, 0).await?;
    work_through(stage, tasks).await?;
    let _new = tasks.submit("hopeless", Fetch { fails: u32::MAX }, 0).await?;
    work_through(stage, tasks).await
}

/// One worker, one task at a time, until there is none.
async fn work_through(stage: &Stage, tasks: &TaskQueue) -> Result {
    let teller = stage.clone();
    let worker = tasks.worker(handlers(stage)?, ONE_BY_ONE).until_empty();
    worker.on_event(move |event| tell(&teller, event)).build()?.run().await;
    Ok(())
}

fn handlers(stage: &Stage) -> queue::Result<Handlers<Stage>> {
    Handlers::new(stage.clone())
        .on(|Greet { name }: Greet, context: Context<Stage>| async move {
            context.state().say(format!("  greet {name}"));
            Ok(format!("hello, {name}"))
        })?
        .on(|Add(a, b): Add, context: Context<Stage>| async move {
            context.state().say(format!("  add {a} and {b}"));
            Ok(a + b)
        })?
        .on(|Fetch { fails }: Fetch, context: Context<Stage>| async move {
            if context.attempt() <= fails { Err(JobError::named("Timeout", "no answer")) } else { Ok(()) }
        })
}

fn tell(stage: &Stage, event: &WorkerEvent) {
    match event {
        WorkerEvent::Failing(end) => {
            let wait = growing(end.meta.failures);
            stage.say(format!("  {} failed on attempt {}, next try in {wait:?}", end.meta.id, end.attempt));
        }
        WorkerEvent::Failed(end) => {
            let reason = end.meta.reason.map_or("unknown", queue::Reason::as_str);
            stage.say(format!("  {} is given up after attempt {}: {reason}", end.meta.id, end.attempt));
        }
        WorkerEvent::Completed(end) => {
            stage.say(format!("  {} is done on attempt {}", end.meta.id, end.attempt));
        }
        _ => {}
    }
}

/// Several workers share many tasks; every handler looks how many are leased at that moment.
async fn many(stage: &Stage, tasks: &TaskQueue) -> Result {
    let submitted = tasks.submit_many((0..MANY).map(|n| Add(n, n))).await?.len();
    let probe = Arc::new(Probe::new(tasks.clone()));
    let mut group = Group::new();
    for number in 1..=WORKERS {
        let handlers = Handlers::new(probe.clone()).on(add_and_look)?;
        let worker = tasks.worker(handlers, SOME).poll_interval(LOOK).until_empty();
        group = group.add(format!("worker {number}"), worker.build()?);
    }
    group.run(CancellationToken::new()).await?;

    let (once, more) = probe.once_and_more();
    stage.say(format!("{submitted} tasks, {WORKERS} workers: {once} ran once, {more} more often"));
    let allowed = WORKERS * (SOME.running + SOME.prefetched);
    let is_kept = probe.most_leased() <= allowed as u64;
    stage.say(format!("never more than {allowed} were leased: {is_kept}"));
    stage.say(format!("{} are unfinished", tasks.counts().await?.unfinished()));
    Ok(())
}

async fn add_and_look(Add(a, b): Add, context: Context<Arc<Probe>>) -> Result<u32, JobError> {
    context.state().look(&context.meta().id).await?;
    Ok(a + b)
}
