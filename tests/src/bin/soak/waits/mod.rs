//! Many calls: each gets the right answer, none after its deadline.
//!
//! Every call goes through `enqueue_and_wait`; some have a second caller of the same job, one that
//! gives up, or one with a short deadline. The workers run apart: in their own processes, or in
//! their own runtimes if the store exists in this process only.

mod answer;
mod call_counts;
mod calls;
mod exchange;
mod fleet;
mod mode;
mod settings;
mod verdict;

pub(crate) use answer::{AnswerSettings, answer};
pub(crate) use settings::WaitsArgs;

use crate::{failed::Failed, memory::no_task_is_left};
use exchange::CallQueue;
use fleet::Fleet;
use mode::Mode;
use queue::{Queue, Rng, SeededRng, SystemRng, queue_core::Reach};
use queue_testkit::fault::{FaultKind, FaultPlan, FaultStore, HintFault};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};

/// The random time between two kills, in milliseconds.
const KILL_PAUSE_MS: std::ops::RangeInclusive<u64> = 200..=500;

/// Runs every mode on every store, one after the other.
pub(crate) async fn run(settings: &WaitsArgs) -> Result<(), Failed> {
    let seed = settings.seed.unwrap_or_else(|| SystemRng.next_u64());
    println!("waits: {} calls, {} at a time, seed {seed}", settings.calls, settings.concurrency);
    let files = tempfile::tempdir()?;
    for store in settings.stores(files.path()) {
        for mode in settings.modes() {
            run_one(settings, &store, mode, seed).await?;
        }
    }
    no_task_is_left().await
}

async fn run_one(settings: &WaitsArgs, url: &str, mode: Mode, seed: u64) -> Result<(), Failed> {
    let storage = queue::open(url).await?;
    let plan = FaultPlan::new(seed);
    let plan = if mode.has_hints() { plan } else { plan.hints_one_in(1, HintFault::Drop) };
    let faulty = Arc::new(FaultStore::new(storage.clone(), plan));
    let name = format!("soak-{mode}-{:016x}", SystemRng.next_u64());
    let queue: CallQueue = Queue::builder(faulty.clone(), &name).options(exchange::job_options()).build()?;
    let worker = AnswerSettings::new(settings, url, &name, mode);
    let mut fleet = Fleet::start(worker, settings.workers, storage.capabilities().reach == Reach::Process)?;
    let begun = Instant::now();
    let calls = calls::make(&queue, settings);
    let tally = tokio::select! {
        tally = calls => tally,
        ended = watch(&mut fleet, mode, seed) => return Err(ended),
    };
    let took = begun.elapsed();
    let kills = fleet.kills();
    drop(fleet);
    println!("  {}, {}: {:.1?}, {} kills", storage.capabilities().name, mode.describe(), took, kills);
    println!("    {} hints dropped; {tally}", faulty.tally().of(FaultKind::DropHint));
    verdict::judge(&queue, settings, mode, &tally, kills).await?;
    storage.close().await?;
    Ok(())
}

/// Kills workers in the mode for that. It ends only if one cannot be started.
async fn watch(fleet: &mut Fleet, mode: Mode, seed: u64) -> Failed {
    let rng = SeededRng::new(seed);
    let between = |low: u64, high: u64| low + rng.next_u64() % (high - low + 1);
    loop {
        let pause = between(*KILL_PAUSE_MS.start(), *KILL_PAUSE_MS.end());
        sleep(Duration::from_millis(pause)).await;
        if !mode.kills() {
            continue;
        }
        let victim = between(0, fleet.len() as u64 - 1) as usize;
        if let Err(error) = fleet.replace(victim).await {
            return error;
        }
    }
}
