//! The scenarios in which several workers, or several processes with a worker each, share a
//! backlog.

use super::{drain::ensure_drained, job::preload, setting::Setting, worker::builder};
use crate::{
    bed::Bed,
    clock::now,
    figures::{Figures, Reading},
};
use anyhow::{Context, ensure};
use queue::queue_core::Retention;
use std::{env, process::Stdio};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    process::{Child, Command},
    task::JoinSet,
};

/// Several workers in this process share the backlog. Each ends when nothing is due and its own
/// jobs are settled.
pub(super) async fn workers(bed: &Bed, workers: usize, count: usize) -> anyhow::Result<Vec<Reading>> {
    let storage = &bed.storage;
    preload(&**storage, count, Retention::default()).await?;
    let started = now();
    let mut running = JoinSet::new();
    for _ in 0..workers {
        let worker = builder(storage.clone(), Setting::Default)?.until_idle().build()?;
        running.spawn(async move { worker.run().await });
    }
    running.join_all().await;
    let elapsed = started.elapsed();
    ensure_drained(&**storage, count, Retention::default()).await?;
    Ok(vec![Figures::rate(count, elapsed).into()])
}

/// Several processes with one worker each share the backlog. They are ready before the clock
/// starts.
pub(super) async fn processes(bed: &Bed, processes: usize, count: usize) -> anyhow::Result<Vec<Reading>> {
    preload(&*bed.storage, count, Retention::default()).await?;
    let mut children = Vec::new();
    for _ in 0..processes {
        children.push(ready(&bed.url).await?);
    }
    let started = now();
    for child in &mut children {
        child.stdin.as_mut().context("a pipe")?.write_all(b"go\n").await?;
    }
    for child in &mut children {
        ensure!(child.wait().await?.success(), "a worker process failed");
    }
    let elapsed = started.elapsed();
    ensure_drained(&*bed.storage, count, Retention::default()).await?;
    Ok(vec![Figures::rate(count, elapsed).into()])
}

/// Starts this program as a worker and waits until its store is open.
async fn ready(url: &str) -> anyhow::Result<Child> {
    let mut child = Command::new(env::current_exe()?)
        .args(["--worker", url])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().context("a pipe")?).read_line(&mut line).await?;
    ensure!(line == "ready\n", "a worker process said {line:?}");
    Ok(child)
}

/// The worker's side.
pub(crate) async fn work(url: &str) -> anyhow::Result<()> {
    let storage = queue::open(url).await?;
    let worker = builder(storage.clone(), Setting::Default)?.until_idle().build()?;
    println!("ready");
    let mut line = String::new();
    BufReader::new(tokio::io::stdin()).read_line(&mut line).await?;
    worker.run().await;
    Ok(storage.close().await?)
}
