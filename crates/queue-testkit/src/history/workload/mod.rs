//! A seeded workload: several tasks on one store, its recording, and the verdict.

mod actor;
mod dice;
mod drain;
mod family;
mod handler;
mod load;
mod meddler;
mod pace;
mod params;
mod partitions;
mod producer;
mod stage;
mod timekeeper;
mod waiter;
mod worker;
mod workload_report;

pub use load::{Load, LoadParams};
pub use params::{Faults, Params};
pub use workload_report::WorkloadReport;

use crate::{
    Facility, Harness, Place,
    fault::{Fault, FaultPlan, FaultStore, StorageVerb},
    history::{Event, Op, Recorder, Rules, check},
};
use pace::Pace;
use queue_core::{ManualClock, Storage};
use stage::Stage;
use std::{sync::Arc, time::Duration};
use tokio::task::JoinSet;

/// How often the tasks run on a store that can be reopened.
const ROUNDS: usize = 2;

/// Runs tasks on one store, over two handles if it can have them, and again after a reopen if it
/// can be reopened; then heals the faults, drains the store, reads every record, and checks the
/// history.
///
/// On a runtime of one thread the same seed gives the same history, if the store does all its work
/// there; on several threads the same seed gives the same choices in another interleaving.
///
/// # Panics
/// If the harness fails, or the store answers an error that is not transient, since a workload
/// sends nothing invalid.
pub async fn check_workload(harness: &dyn Harness, seed: u64, params: Params) -> WorkloadReport {
    let clock = Arc::new(ManualClock::default());
    let place = harness.create(clock.clone()).await.expect("the harness makes a place");
    let can = |facility| harness.facilities().contains(&facility);
    let handles = if can(Facility::SecondHandle) { 2 } else { 1 };
    let rounds = if can(Facility::Reopen) { ROUNDS } else { 1 };
    let stores = open(&*place, handles, seed, params.faults).await;
    let stage = Stage {
        name: 0.to_string(),
        stores,
        recorder: Arc::new(Recorder::new()),
        pace: Pace::Steps(params.steps, clock.clone()),
        seed,
        params,
    };
    let mut cast = Cast { stage, clock, round: 0, faults: 0 };
    cast.play().await;
    for _ in 1..rounds {
        cast.reopen(&*place).await;
        cast.play().await;
    }
    let report = cast.judge().await;
    place.clean_up().await.expect("the place cleans up");
    report
}

async fn open(
    place: &dyn Place,
    handles: u64,
    seed: u64,
    faults: Faults,
) -> Vec<Arc<FaultStore<dyn Storage>>> {
    let mut stores = Vec::new();
    for number in 0..handles {
        let store = place.connect().await.expect("the store opens");
        stores.push(Arc::new(FaultStore::new(store, plan(seed + number, faults))));
    }
    stores
}

fn plan(seed: u64, faults: Faults) -> FaultPlan {
    let plan = FaultPlan::new(seed);
    if faults == Faults::None {
        return plan;
    }
    let plan = plan
        .one_in(25, StorageVerb::CORE, Fault::Refuse)
        .one_in(40, StorageVerb::CORE, Fault::LoseRequest)
        .one_in(25, StorageVerb::CORE, Fault::LoseReply)
        .one_in(20, StorageVerb::CORE, Fault::Delay(Duration::from_millis(1)));
    if faults == Faults::All { plan.one_in(15, StorageVerb::CORE, Fault::Duplicate) } else { plan }
}

/// The tasks and handles that take part.
struct Cast {
    stage: Stage,
    clock: Arc<ManualClock>,
    round: usize,
    faults: u64,
}

impl Cast {
    /// Runs every task to its end.
    async fn play(&self) {
        let mut tasks = JoinSet::new();
        self.stage.start_producers(&mut tasks);
        self.stage.start_workers(&mut tasks);
        self.stage.start_meddlers(&mut tasks);
        tasks.spawn(timekeeper::keep_time(self.stage.actor("timekeeper", 0), self.clock.clone()));
        // `join_all` passes on the panic of any task.
        tasks.join_all().await;
    }

    /// Closes every handle and opens as many new ones.
    async fn reopen(&mut self, place: &dyn Place) {
        let reopening = self.stage.recorder.invoke(vec![Event { op: Op::Reopen, ..Event::default() }]);
        let stores = std::mem::take(&mut self.stage.stores);
        for store in &stores {
            self.faults += store.tally().total();
            store.close().await.expect("a handle closes");
        }
        self.round += 1;
        self.stage.name = self.round.to_string();
        let handles = stores.len() as u64;
        let seed = self.stage.seed.wrapping_add(1_000 * self.round as u64);
        self.stage.stores = open(place, handles, seed, self.stage.params.faults).await;
        self.stage.recorder.ok(reopening, vec![Event::default()]);
    }

    async fn judge(mut self) -> WorkloadReport {
        self.stage.stores.iter().for_each(|store| store.heal());
        drain::drain(&self.stage.actor("drain", 0), &[]).await;
        for store in &self.stage.stores {
            self.faults += store.tally().total();
            store.close().await.expect("a handle closes");
        }
        let echoes = self.stage.params.faults == Faults::All;
        let rules = Rules { echoes, concurrency_max: Some(1), ..Rules::default() };
        let history = self.stage.recorder.history();
        let violations = check(&history, &rules);
        WorkloadReport { seed: self.stage.seed, history, violations, faults: self.faults }
    }
}
