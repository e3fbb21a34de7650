//! What is measured. The payload is a JSON object of about 100 bytes, the handler trivial, the worker at its defaults.

mod call;
pub(crate) mod consumers;
mod depth;
mod drain;
mod enqueue;
mod footprint;
mod job;
mod payload;
mod pickup;
mod setting;
mod sustained;
mod worker;

pub(crate) use job::{payload, queue};
pub(crate) use setting::Setting;

use crate::{
    figures::Figures,
    floor,
    store::{Bed, StoreKind},
};
use queue::Retention;
use serde::Serialize;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub(crate) enum Scenario {
    /// One producer that awaits each call.
    EnqueueSeq,
    /// 64 producers that each await each call.
    EnqueueC64,
    /// One producer, 1000 jobs a call.
    EnqueueBatch,
    /// One worker (64 handlers), until the store shows no unfinished job; results kept for an hour.
    Drain,
    /// The same, with jobs removed as they complete.
    DrainRemoved,
    /// A producer and a worker at once for ten seconds.
    Sustained,
    /// An idle worker: call of enqueue to start of handler.
    Pickup,
    /// Enqueue, wait and result, one after the other.
    Call,
    /// The same by 50 callers.
    CallC50,
    /// Due time to start of handler.
    Delayed,
    /// Claim and settle of 100 jobs with a backlog behind them.
    Depth,
    /// Several workers, and several processes.
    Consumers,
    /// Enqueue and drain of small and large payloads.
    Payload,
    /// Bytes in the store for each job.
    Footprint,
    /// The store's own floor: plain inserts in batches, without a queue.
    FloorEnqueue,
    /// The store's own floor: the least that takes a job and removes it, in batches.
    FloorDrain,
}

impl Scenario {
    pub(crate) fn settings(self, store: StoreKind) -> Vec<Setting> {
        let shared = |processes: &[usize]| -> Vec<Setting> {
            let processes = processes.iter().filter(|_| store.is_shared());
            processes.map(|&processes| Setting::Processes(processes)).collect()
        };
        match self {
            Self::Drain => vec![Setting::Default, Setting::Tuned],
            Self::Depth => [1_000, 100_000, 1_000_000].map(Setting::Backlog).to_vec(),
            Self::Consumers => {
                let mut settings = [1, 8, 64].map(Setting::Workers).to_vec();
                settings.append(&mut shared(&[1, 2, 4]));
                settings
            }
            Self::Payload => [100, 10_000, 1_000_000].map(Setting::Payload).to_vec(),
            Self::Footprint => vec![Setting::Pending, Setting::Completed],
            Self::FloorEnqueue | Self::FloorDrain => floor::batches(store, self),
            _ => vec![Setting::Default],
        }
    }

    /// Enough for a second or more.
    pub(crate) fn jobs(self, store: StoreKind, setting: Setting) -> usize {
        let is_memory = store == StoreKind::Memory;
        match self {
            Self::EnqueueSeq if !is_memory => 10_000,
            Self::Pickup => 1_000,
            Self::Call => 2_000,
            Self::CallC50 => 20_000,
            Self::Delayed => 500,
            Self::Depth => 100,
            Self::Payload => match setting {
                Setting::Payload(bytes) if bytes >= 1_000_000 => 200,
                Setting::Payload(bytes) if bytes >= 10_000 => 10_000,
                _ => 50_000,
            },
            Self::FloorEnqueue | Self::FloorDrain if setting == Setting::Batch(1) => 5_000,
            Self::Consumers | Self::Footprint => 100_000,
            _ => 200_000,
        }
    }

    /// Fewer would show nothing.
    pub(crate) fn jobs_min(self) -> usize {
        if self == Self::Depth { 20 } else { 100 }
    }

    pub(crate) async fn run(self, bed: &Bed, setting: Setting, jobs: usize) -> anyhow::Result<Figures> {
        let storage = || bed.storage.clone();
        let elapsed = match (self, setting) {
            (Self::EnqueueSeq, _) => enqueue::sequential(storage(), jobs).await?,
            (Self::EnqueueC64, _) => enqueue::concurrent(storage(), jobs).await?,
            (Self::EnqueueBatch, _) => enqueue::batched(&*bed.storage, jobs).await?,
            (Self::Drain, _) => drain::run(storage(), setting, jobs, Retention::default()).await?,
            (Self::DrainRemoved, _) => drain::run(storage(), setting, jobs, Retention::Remove).await?,
            (Self::Consumers, Setting::Processes(n)) => consumers::processes(bed, n, jobs).await?,
            (Self::Consumers, Setting::Workers(n)) => consumers::workers(bed, n, jobs).await?,
            (Self::Payload, Setting::Payload(bytes)) => payload::run(storage(), bytes, jobs).await?,
            (Self::FloorEnqueue, Setting::Batch(batch)) => floor::enqueue(bed, batch, jobs).await?,
            (Self::FloorDrain, Setting::Batch(batch)) => floor::drain(bed, batch, jobs).await?,
            (Self::Depth, Setting::Backlog(backlog)) => return depth::run(storage(), backlog, jobs).await,
            (Self::Sustained, _) => return sustained::run(storage()).await,
            (Self::Pickup, _) => return pickup::run(storage(), jobs).await,
            (Self::Delayed, _) => return pickup::delayed(storage(), setting, jobs).await,
            (Self::Call, _) => return call::run(storage(), 1, jobs).await,
            (Self::CallC50, _) => return call::run(storage(), 50, jobs).await,
            (Self::Footprint, _) => return footprint::run(bed, setting, jobs).await,
            (scenario, setting) => anyhow::bail!("{scenario} has no setting {setting:?}"),
        };
        Ok(Figures::rate(jobs, elapsed))
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::EnqueueSeq => "enqueue_seq",
            Self::EnqueueC64 => "enqueue_c64",
            Self::EnqueueBatch => "enqueue_batch",
            Self::Drain => "drain",
            Self::DrainRemoved => "drain_removed",
            Self::Sustained => "sustained",
            Self::Pickup => "pickup",
            Self::Call => "call",
            Self::CallC50 => "call_c50",
            Self::Delayed => "delayed",
            Self::Depth => "depth",
            Self::Consumers => "consumers",
            Self::Payload => "payload",
            Self::Footprint => "footprint",
            Self::FloorEnqueue => "floor_enqueue",
            Self::FloorDrain => "floor_drain",
        })
    }
}
