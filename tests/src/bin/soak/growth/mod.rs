//! Many waits of every kind. Afterwards no subscription, no task and no memory of them is left.

mod counted;

use crate::{
    failed::{Failed, require},
    memory::{Baseline, no_task_is_left},
};
use clap::Args;
use counted::{CountedStore, Streams};
use queue::{Change, JobOptions, Outcome, Queue, worker::Router};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    time::Duration,
};
use tokio::{task::JoinSet, time::timeout};

/// The waits that run at once.
const WAITERS: usize = 50;
/// The waits before memory is measured.
const WARM_UP: u64 = 10_000;
/// The time after which a waiter gives up.
const PATIENCE: Duration = Duration::from_millis(1);
/// Longer than any run.
const DEADLINE: Duration = Duration::from_mins(10);

type Numbers = Queue<u64, u64>;

#[derive(Args, Debug)]
pub(crate) struct GrowthArgs {
    /// How many waits to make after the warm-up
    #[arg(long, default_value_t = 100_000)]
    waits: u64,
    /// The store, which must be empty
    #[arg(long, default_value = "memory:")]
    store: String,
}

pub(crate) async fn run(settings: &GrowthArgs) -> Result<(), Failed> {
    let (storage, streams) = CountedStore::wrap(queue::open(&settings.store).await?);
    println!("growth: {} waits on {}", settings.waits, storage.capabilities().name);
    work_and_wait(&Queue::new(storage.clone(), "soak-growth")?, settings.waits).await?;
    judge(&streams, settings.waits)?;
    storage.close().await?;
    drop(storage);
    no_task_is_left().await
}

/// Two jobs exist from the start: one that is finished, and one that never will be.
async fn work_and_wait(queue: &Numbers, waits: u64) -> Result<(), Failed> {
    let router = Router::new(()).handle("default", |n: u64, _| async move { Ok(n + 1) })?;
    let worker = queue.worker(router).build()?;
    let stop = worker.stop_token();
    let waiting = async {
        let _stop_whatever_happens = stop.drop_guard();
        let later = JobOptions::new().delay(Duration::from_hours(1000));
        require(queue.enqueue_with("pending", 0, later).await?.is_new(), || {
            "the store is in use".to_owned()
        })?;
        require(queue.enqueue_and_wait("finished", 1, DEADLINE).await? == 2, || "1 + 1 is 2".to_owned())?;
        wait_many(queue, WARM_UP.min(waits)).await?;
        let baseline = Baseline::take();
        wait_many(queue, waits).await?;
        baseline.compare()
    };
    tokio::join!(worker.run(), waiting).1
}

async fn wait_many(queue: &Numbers, waits: u64) -> Result<(), Failed> {
    let begun = Arc::new(AtomicU64::new(0));
    let mut waiters = JoinSet::new();
    for _ in 0..WAITERS {
        let (queue, begun) = (queue.clone(), begun.clone());
        waiters.spawn(async move {
            loop {
                let number = begun.fetch_add(1, SeqCst);
                if number >= waits {
                    return Ok(());
                }
                wait_somehow(&queue, number).await?;
            }
        });
    }
    waiters.join_all().await.into_iter().collect()
}

/// Makes one wait; its number decides how it ends.
async fn wait_somehow(queue: &Numbers, number: u64) -> Result<(), Failed> {
    match number % 5 {
        0 => ended_as(&queue.wait("finished", DEADLINE).await?, &Outcome::Completed(2)),
        1 => ended_as(&queue.wait("missing", DEADLINE).await?, &Outcome::Unknown),
        2 => {
            let outcome = queue.wait("pending", Duration::ZERO).await?;
            require(matches!(outcome, Outcome::TimedOut { .. }), || format!("it ended as {outcome:?}"))
        }
        3 => {
            let given_up = timeout(PATIENCE, queue.wait("pending", DEADLINE)).await;
            require(given_up.is_err(), || format!("it ended as {given_up:?}"))
        }
        _ => {
            let id = format!("call-{number}");
            let answer = queue.enqueue_and_wait(&id, number, DEADLINE).await?;
            require(answer == number + 1, || format!("call {number} was answered with {answer}"))?;
            // An awaited record stays for a minute, which would look like growth.
            let deleted = queue.delete(&id).await?;
            require(deleted == Change::Done, || format!("deleting call {number}: {deleted:?}"))
        }
    }
}

fn ended_as(outcome: &Outcome<u64>, expected: &Outcome<u64>) -> Result<(), Failed> {
    require(outcome == expected, || format!("it ended as {outcome:?}"))
}

fn judge(streams: &Streams, waits: u64) -> Result<(), Failed> {
    let [opened, most, held] =
        [&streams.opened, &streams.held_at_once_max, &streams.held].map(|count| count.load(SeqCst));
    println!("  subscriptions: {opened} opened, at most {most} held at once, {held} held in the end");
    require(opened as u64 >= waits, || "not every wait subscribed".to_owned())?;
    // The worker has a subscription too.
    require(most <= WAITERS + 1, || "more were held than there are waiters".to_owned())?;
    require(held == 0, || format!("{held} subscriptions are left"))
}
