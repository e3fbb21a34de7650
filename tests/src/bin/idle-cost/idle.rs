//! The idle process: a worker and a waiting caller that get nothing, and their cost per minute.

use crate::{Failed, cost::Cost};
use queue::{
    Queue, SystemRng,
    queue_core::Rng,
    worker::{Context, Router},
};
use std::time::Duration;
use tokio::time::sleep;

/// By then connections are open, threads run, and the first calls are answered.
const WARM_UP: Duration = Duration::from_secs(3);
/// Longer than any measurement.
const FAR: Duration = Duration::from_hours(1);

/// Waits for jobs and for a result, none of which come, and prints the cost per minute.
pub(crate) async fn wait(store: &str, seconds: u64) -> Result<(), Failed> {
    let storage = queue::open(store).await?;
    let run = SystemRng.next_u64();
    let named =
        |name: &str| Queue::<u64, u64>::builder(storage.clone(), format!("{name}-{run:016x}")).build();
    let (worked, awaited) = (named("idle")?, named("awaited")?);
    awaited.enqueue("never done", 1).await?;
    let router = Router::new(()).handle("default", |n: u64, _: Context| async move { Ok(n) })?;
    let runs = worked.worker(router).build()?;
    let measured = async {
        sleep(WARM_UP).await;
        let before = Cost::so_far()?;
        sleep(Duration::from_secs(seconds)).await;
        Ok::<_, Failed>(Cost::so_far()?.since(before))
    };
    let cost = tokio::select! {
        cost = measured => cost?,
        _ = runs.run() => return Err("the worker ended".into()),
        _ = awaited.wait("never done", FAR) => return Err("the wait ended".into()),
    };
    println!("{} | {}", cost.wake_ups * 60 / seconds, cost.cpu_micros * 60 / seconds / 1000);
    Ok(())
}
