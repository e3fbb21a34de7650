//! What the tasks of a workload share, and how they are started.

use super::{Params, actor::Actor, dice::Dice, meddler, pace::Pace, producer, worker};
use crate::{
    fault::FaultStore,
    history::{Recorded, Recorder},
};
use queue_core::{QueueName, SeededRng, Storage};
use std::sync::Arc;
use tokio::task::JoinSet;

/// What the tasks of a workload share.
#[derive(Debug)]
pub(super) struct Stage {
    /// Part of every task's name, so that no two tasks of a history have the same name.
    pub(super) name: String,
    pub(super) stores: Vec<Arc<FaultStore<dyn Storage>>>,
    pub(super) recorder: Arc<Recorder>,
    pub(super) pace: Pace,
    pub(super) seed: u64,
    pub(super) params: Params,
}

impl Stage {
    pub(super) fn start_producers(&self, tasks: &mut JoinSet<()>) {
        for number in 0..self.params.producers {
            tasks.spawn(producer::produce(self.actor("producer", number)));
        }
    }

    pub(super) fn start_workers(&self, tasks: &mut JoinSet<()>) {
        for number in 0..self.params.workers {
            tasks.spawn(worker::work(self.actor("worker", number)));
        }
    }

    pub(super) fn start_meddlers(&self, tasks: &mut JoinSet<()>) {
        for number in 0..self.params.meddlers {
            tasks.spawn(meddler::meddle(self.actor("meddler", number)));
        }
    }

    pub(super) fn actor(&self, role: &str, number: usize) -> Actor {
        let name = format!("{role}-{}-{number}", self.name);
        let store = self.stores[number % self.stores.len()].clone();
        let salt =
            name.bytes().fold(self.seed, |salt, byte| salt.wrapping_mul(31).wrapping_add(u64::from(byte)));
        Actor {
            store: Recorded::new(store, self.recorder.clone()),
            recorder: self.recorder.clone(),
            pace: self.pace.clone(),
            dice: Dice(SeededRng::new(salt)),
            queue: QueueName::from_static("workload"),
            params: self.params,
            policy: Actor::policy(),
            name,
        }
    }
}
