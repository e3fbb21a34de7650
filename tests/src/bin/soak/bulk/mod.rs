//! A redrive of many failed jobs while workers run other jobs of the same queue, with its runner
//! killed at random points. Each job must be redriven once.

mod check;
mod load;

use crate::{
    failed::{Failed, require},
    many::{
        QUEUE, Runner, StoreKind, StorePlace, Templates, Usage, YieldingStore, end_with_parent, fill,
        numbered,
    },
};
use clap::Args;
use load::Load;
use queue::{
    Kind, QueueName, Rng, State, Storage, SystemRng,
    operations::{Action, Operation, OperationId, OperationStatus, Operations},
    view::Standing,
};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};

/// The kind of the failed jobs.
const FAILED_KIND: &str = "again";
/// The name of the operation.
const OPERATION: &str = "redrive-all";
/// A runner that died is replaced by the next one after this time.
const LEASE: Duration = Duration::from_secs(5);
/// How often this program reads how far the operation is.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// One failed job in this number comes before the other jobs once it is redriven, and fails again
/// while the operation goes on. The rest waits behind them, so that their throughput is comparable.
const EARLY_ONE_IN: u64 = 100;
const LATE_PRIORITY: i16 = 100;

#[derive(Args, Debug)]
pub(crate) struct BulkArgs {
    /// How many failed jobs to redrive
    #[arg(long, default_value_t = 1_000_000)]
    jobs: u64,
    /// The kinds of store; those on servers need `cargo xtask services run postgres redis -- ..`
    #[arg(long, value_delimiter = ',', default_value = "memory,files,sqlite")]
    stores: Vec<StoreKind>,
    /// How often to kill the runner of the operation
    #[arg(long, default_value_t = 3)]
    kills: usize,
    /// How long to count the other jobs before and after the operation, in milliseconds
    #[arg(long, default_value_t = 10_000)]
    calm_ms: u64,
}

/// The store of the process that runs the operation.
#[derive(Args, Debug)]
pub(crate) struct RunnerArgs {
    #[arg(long)]
    store: String,
}

pub(crate) async fn run(settings: &BulkArgs) -> Result<(), Failed> {
    for kind in &settings.stores {
        let place = StorePlace::fresh(*kind)?;
        redrive_on(&place, settings).await.map_err(|error| format!("{kind}: {error}"))?;
    }
    Ok(())
}

/// Runs operations until it is killed.
pub(crate) async fn run_operations(settings: RunnerArgs) -> Result<(), Failed> {
    end_with_parent()?;
    work_on_operations(queue::open(&settings.store).await?).await
}

async fn work_on_operations(storage: Arc<dyn Storage>) -> Result<(), Failed> {
    let every = Duration::from_millis(500);
    let worker = Operations::of(storage).worker().lease(LEASE).rescue_interval(every).poll_interval(every);
    worker.build()?.run().await;
    Ok(())
}

async fn redrive_on(place: &StorePlace, settings: &BulkArgs) -> Result<(), Failed> {
    println!("bulk: {} failed jobs on {}", settings.jobs, place.kind);
    let storage = place.open().await?;
    let usage = Usage::begin();
    let template = Templates::make().await?.in_state(State::Failed).clone();
    let make = |number| {
        let mut job = numbered(&template, number);
        job.meta.kind = Kind::from_static(FAILED_KIND);
        job.meta.priority = if number % EARLY_ONE_IN == 0 { 0 } else { LATE_PRIORITY };
        job
    };
    fill(&storage, settings.jobs, make).await?;
    println!("  imported: {}", usage.taken());
    let load = Load::new(settings.jobs);
    let during = async {
        let ended = redrive(&storage, place, settings, &load).await;
        load.stop();
        ended
    };
    let (worked, produced, ended) =
        tokio::join!(load.work(storage.clone()), load.produce(storage.clone()), during);
    ended?;
    worked?;
    produced?;
    let usage = Usage::begin();
    check::each_is_redriven_once(&*storage, &template.meta, settings.jobs, &load).await?;
    println!("  checked: {}", usage.taken());
    storage.close().await?;
    Ok(())
}

/// The id of the operation.
fn operation_id() -> queue::Result<OperationId> {
    Ok(OperationId::new(&QueueName::new(QUEUE)?, OPERATION)?)
}

async fn redrive(
    storage: &Arc<dyn Storage>,
    place: &StorePlace,
    settings: &BulkArgs,
    load: &Load,
) -> Result<(), Failed> {
    let calm = Duration::from_millis(settings.calm_ms);
    load.first_jobs().await;
    let before = load.rate_during(sleep(calm)).await.1;
    let operations = Operations::of(storage.clone());
    let all = Operation::on(QUEUE, Action::REDRIVE).standing(Standing::Failed).kind(FAILED_KIND);
    let usage = Usage::begin();
    let _started = operations.start(OPERATION, &all.jobs_max(u64::MAX)).await?;
    let (ended, during) = load.rate_during(kill_until_over(&operations, storage, place, settings)).await;
    let status = ended?;
    println!("  redriven: {}", usage.taken());
    let counts = status.counts();
    let [done, gone] = [counts.done, counts.gone];
    println!("  done {done}, gone {gone}, skipped {}, failed {}", counts.skipped, counts.failed);
    require(status.meta().state == State::Completed, || format!("it ended as {status:?}"))?;
    require(counts.met() == settings.jobs, || format!("{} jobs were met", counts.met()))?;
    let after = load.rate_during(sleep(calm)).await.1;
    println!("  other jobs/s: {before:.0} before, {during:.0} during, {after:.0} after");
    println!("  throughput of the others during the operation: {:.2} of that before", during / before);
    Ok(())
}

/// Kills the runner at random points until it was killed often enough, and waits for the end.
async fn kill_until_over(
    operations: &Operations,
    storage: &Arc<dyn Storage>,
    place: &StorePlace,
    settings: &BulkArgs,
) -> Result<OperationStatus, Failed> {
    let mut points: Vec<u64> =
        (0..settings.kills).map(|_| SystemRng.next_u64() % (settings.jobs * 9 / 10)).collect();
    points.sort_unstable();
    let mut points = points.into_iter().peekable();
    let mut runner = start_runner(storage, place)?;
    loop {
        let status = operations.get(&operation_id()?).await?.ok_or("the operation is missing")?;
        if status.is_over() {
            println!("  over before {} of {} kills", points.len(), settings.kills);
            runner.kill().await?;
            return Ok(status);
        }
        let (met, in_flight) = (status.counts().met(), status.in_flight());
        if in_flight > 0 && points.next_if(|point| *point <= met).is_some() {
            runner.kill().await?;
            let killed_at = Instant::now();
            runner = start_runner(storage, place)?;
            let again = wait_for_more(operations, met + in_flight).await?;
            let gap = (again - killed_at).as_secs_f64();
            println!("  killed after {met}; went on after {gap:.1} s");
        }
        sleep(LOOK_EVERY).await;
    }
}

/// Waits until the operation is beyond what its dead runner may still have stored.
async fn wait_for_more(operations: &Operations, met: u64) -> Result<Instant, Failed> {
    loop {
        let status = operations.get(&operation_id()?).await?.ok_or("the operation is missing")?;
        if status.is_over() || status.counts().met() > met {
            return Ok(Instant::now());
        }
        sleep(LOOK_EVERY).await;
    }
}

fn start_runner(storage: &Arc<dyn Storage>, place: &StorePlace) -> Result<Runner, Failed> {
    if place.kind.is_shared() {
        Runner::process(&["bulk-runner", "--store", &place.url])
    } else {
        Runner::runtime(work_on_operations(Arc::new(YieldingStore(storage.clone()))))
    }
}
