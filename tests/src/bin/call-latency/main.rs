//! How long a call takes from one process to another and back, over one file of jobs.
//!
//! `call-latency [CALLS]` starts itself again as a worker, makes calls one after the other with `enqueue_and_wait`, and
//! prints the median and more. Every poll interval on both sides is an hour, so only events can wake anybody: if one
//! got lost, it would not end.

use queue::{
    Queue, SqliteOptions, SqliteStorage, Storage, WaitOptions,
    worker::{Context, JobError, Router, Worker},
};
use std::{
    env,
    error::Error,
    path::Path,
    process::{ExitCode, Stdio},
    sync::Arc,
    time::Duration,
};
use tokio::{process::Command, time::Instant};

/// Long enough that no poll helps.
const POLL: Duration = Duration::from_hours(1);
/// Calls unless told otherwise.
const CALLS: usize = 500;
/// Calls that warm caches up and are not counted.
const WARM_UP: usize = 20;

type Failed = Box<dyn Error>;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let ended = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["answer", path] => answer(Path::new(path)).await,
        [] => call(CALLS).await,
        [calls] => match calls.parse() {
            Ok(calls @ 1..) => call(calls).await,
            _ => Err("usage: call-latency [CALLS]".into()),
        },
        _ => Err("usage: call-latency [CALLS]".into()),
    };
    ended.map_or_else(
        |error| {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

/// The calling process.
async fn call(calls: usize) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("calls.db");
    let storage = open(&path).await?;
    let queue: Queue<u64, u64> = Queue::new(storage.clone(), "calls")?;
    let mut worker = Command::new(env::current_exe()?)
        .arg("answer")
        .arg(&path)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    let mut took = Vec::with_capacity(calls);
    for number in 0..calls + WARM_UP {
        let begun = Instant::now();
        let answer = queue.enqueue_and_wait(format!("call-{number}"), number as u64, patient()).await?;
        if answer != number as u64 + 1 {
            return Err(format!("call {number} was answered with {answer}").into());
        }
        took.push(begun.elapsed());
    }
    worker.kill().await?;
    storage.close().await?;
    report(took.split_off(WARM_UP));
    Ok(())
}

fn report(mut took: Vec<Duration>) {
    took.sort_unstable();
    let at = |percent: usize| took[(took.len() - 1) * percent / 100];
    println!("{} calls, each by event alone (all polls are {POLL:?})", took.len());
    println!(
        "median {:?}, 90 % within {:?}, 99 % within {:?}, slowest {:?}",
        at(50),
        at(90),
        at(99),
        at(100)
    );
}

/// The answering process. It runs until it is killed.
async fn answer(path: &Path) -> Result<(), Failed> {
    let storage = open(path).await?;
    let queue = queue::QueueName::new("calls")?;
    let router =
        Router::new(()).fallback(|number: u64, _: Context| async move { Ok::<_, JobError>(number + 1) });
    Worker::builder(storage, queue, router).poll_interval(POLL).build()?.run().await;
    Ok(())
}

async fn open(path: &Path) -> Result<Arc<dyn Storage>, Failed> {
    Ok(Arc::new(SqliteStorage::open(SqliteOptions::new(path).poll_interval(POLL)).await?))
}

fn patient() -> WaitOptions {
    WaitOptions::from(2 * POLL).look_first_after(POLL).look_at_least_every(POLL)
}
