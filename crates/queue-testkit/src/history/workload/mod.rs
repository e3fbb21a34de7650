//! A seeded workload: several tasks on one store, its recording, and the verdict.

mod actor;
mod dice;
mod drain;
mod handler;
mod meddler;
mod params;
mod producer;
mod report;
mod timekeeper;
mod worker;

pub use params::{Faults, Params};
pub use report::Report;

use crate::{
    Facility, Harness, Place,
    fault::{Fault, FaultPlan, FaultStore, Verb},
    history::{Event, Op, Recorded, Recorder, Rules, check},
};
use actor::Actor;
use dice::Dice;
use queue_core::{ManualClock, QueueName, SeededRng, Storage};
use std::{sync::Arc, time::Duration};
use tokio::task::JoinSet;

/// How often a store that can be reopened is run.
const ROUNDS: usize = 2;

/// Runs tasks on one store, over two handles if it can have them, and again after a reopen if it can have that; then
/// heals the faults, drains the store, reads every record, and checks the history.
///
/// On a runtime of one thread the same seed gives the same history, if the store does all its work there; on several
/// threads it gives the same choices in another interleaving.
///
/// # Panics
/// When the harness fails, or the store answers an error that is not transient, since a workload sends nothing invalid.
pub async fn check_workload(harness: &dyn Harness, seed: u64, params: Params) -> Report {
    let clock = Arc::new(ManualClock::default());
    let place = harness.create(clock.clone()).await.expect("the harness makes a place");
    let can = |facility| harness.facilities().contains(&facility);
    let handles = if can(Facility::SecondHandle) { 2 } else { 1 };
    let rounds = if can(Facility::Reopen) { ROUNDS } else { 1 };
    let stores = open(&*place, handles, seed, params.faults).await;
    let mut cast =
        Cast { stores, recorder: Arc::new(Recorder::new()), clock, round: 0, seed, params, faults: 0 };
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
        .one_in(25, Verb::CORE, Fault::Refuse)
        .one_in(40, Verb::CORE, Fault::LoseRequest)
        .one_in(25, Verb::CORE, Fault::LoseReply)
        .one_in(20, Verb::CORE, Fault::Delay(Duration::from_millis(1)));
    if faults == Faults::All { plan.one_in(15, Verb::CORE, Fault::Duplicate) } else { plan }
}

/// Everybody who takes part.
struct Cast {
    stores: Vec<Arc<FaultStore<dyn Storage>>>,
    recorder: Arc<Recorder>,
    clock: Arc<ManualClock>,
    round: usize,
    seed: u64,
    params: Params,
    faults: u64,
}

impl Cast {
    /// Runs every task to its end.
    async fn play(&self) {
        let mut tasks = JoinSet::new();
        for number in 0..self.params.producers {
            tasks.spawn(producer::produce(self.actor("producer", number)));
        }
        for number in 0..self.params.workers {
            tasks.spawn(worker::work(self.actor("worker", number)));
        }
        for number in 0..self.params.meddlers {
            tasks.spawn(meddler::meddle(self.actor("meddler", number)));
        }
        tasks.spawn(timekeeper::keep_time(self.actor("timekeeper", 0)));
        // Passes on the panic of any task.
        tasks.join_all().await;
    }

    /// Closes every handle and opens as many new ones.
    async fn reopen(&mut self, place: &dyn Place) {
        let reopening = self.recorder.invoke(vec![Event { op: Op::Reopen, ..Event::default() }]);
        let stores = std::mem::take(&mut self.stores);
        for store in &stores {
            self.faults += store.tally().total();
            store.close().await.expect("a handle closes");
        }
        self.round += 1;
        let handles = stores.len() as u64;
        let seed = self.seed.wrapping_add(1_000 * self.round as u64);
        self.stores = open(place, handles, seed, self.params.faults).await;
        self.recorder.ok(reopening, vec![Event::default()]);
    }

    async fn judge(mut self) -> Report {
        self.stores.iter().for_each(|store| store.heal());
        drain::drain(&self.actor("drain", 0)).await;
        for store in &self.stores {
            self.faults += store.tally().total();
            store.close().await.expect("a handle closes");
        }
        let echoes = self.params.faults == Faults::All;
        let rules = Rules { echoes, concurrency_max: Some(1), ..Rules::default() };
        let history = self.recorder.history();
        let violations = check(&history, &rules);
        Report { seed: self.seed, history, violations, faults: self.faults }
    }

    fn actor(&self, role: &str, number: usize) -> Actor {
        let name = format!("{role}-{}-{number}", self.round);
        let store = self.stores[number % self.stores.len()].clone();
        let salt =
            name.bytes().fold(self.seed, |salt, byte| salt.wrapping_mul(31).wrapping_add(u64::from(byte)));
        Actor {
            store: Recorded::new(store, self.recorder.clone()),
            recorder: self.recorder.clone(),
            clock: self.clock.clone(),
            dice: Dice(SeededRng::new(salt)),
            queue: QueueName::from_static("workload"),
            params: self.params,
            policy: Actor::policy(),
            name,
        }
    }
}
