//! What is measured. The payload is a JSON object of about 100 bytes, the handler trivial, the
//! worker at its defaults.

mod call;
pub(crate) mod consumers;
mod depth;
pub(crate) mod drain;
pub(crate) mod enqueue;
pub(crate) mod footprint;
mod job;
mod listing;
mod payload;
mod pickup;
mod plan;
mod pull;
mod setting;
mod soak;
mod sustained;
pub(crate) mod worker;

pub(crate) use job::{payload, queue};
pub(crate) use setting::Setting;

use crate::{bed::Bed, figures::Reading, floor, stopwatch::Stopwatch};
use queue::queue_core::Retention;
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, clap::ValueEnum,
)]
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
    /// Processor time of claims: single jobs by 64 callers at once and by one, and a hundred a
    /// claim. Only where it is named.
    PullC64,
    /// A worker, and claims and settles of 100 jobs, with a backlog behind them.
    Depth,
    /// What people look at, while so many records are stored.
    Listing,
    /// Several workers, and several processes.
    Consumers,
    /// Enqueue and drain of small and large payloads.
    Payload,
    /// Bytes in the store, in memory and written for each job.
    Footprint,
    /// The store's own floor: one durable write after the other.
    FloorWrite,
    /// The store's own floor: plain inserts in batches, without a queue.
    FloorEnqueue,
    /// The store's own floor: the least that reads jobs and removes them, in batches.
    FloorDrain,
    /// The store's own floor: the least that leases jobs in one write and removes them in another,
    /// in batches.
    FloorCycle,
    /// Ten minutes of a producer and a worker, to see whether memory grows. Only where it is named.
    Soak,
}

impl Scenario {
    pub(crate) fn is_floor(self) -> bool {
        matches!(self, Self::FloorWrite | Self::FloorEnqueue | Self::FloorDrain | Self::FloorCycle)
    }

    /// Whether it runs where no scenario is named.
    pub(crate) fn is_usual(self) -> bool {
        !matches!(self, Self::PullC64 | Self::Soak)
    }

    pub(crate) async fn run(self, bed: &Bed, setting: Setting, jobs: usize) -> anyhow::Result<Vec<Reading>> {
        let storage = || bed.storage.clone();
        let watch = Stopwatch::of(bed).await?;
        let took = match (self, setting) {
            (Self::EnqueueSeq, _) => enqueue::sequential(storage(), watch, jobs).await?,
            (Self::EnqueueC64, _) => enqueue::concurrent(storage(), watch, jobs).await?,
            (Self::EnqueueBatch, _) => enqueue::batched(&*bed.storage, watch, jobs).await?,
            (Self::Drain, _) => drain::run(storage(), watch, setting, jobs, Retention::default()).await?,
            (Self::DrainRemoved, _) => drain::run(storage(), watch, setting, jobs, Retention::Remove).await?,
            (Self::FloorEnqueue, _) => floor::enqueue(bed, watch, setting, jobs).await?,
            (Self::FloorDrain | Self::FloorCycle, _) => floor::drain(bed, watch, self, setting, jobs).await?,
            (Self::FloorWrite, _) => return floor::write(bed, watch, jobs).await,
            (Self::Call, _) => return call::run(storage(), watch, 1, jobs).await,
            (Self::CallC50, _) => return call::run(storage(), watch, 50, jobs).await,
            (Self::Consumers, Setting::Processes(n)) => return consumers::processes(bed, n, jobs).await,
            (Self::Consumers, Setting::Workers(n)) => return consumers::workers(bed, n, jobs).await,
            (Self::Depth, Setting::Backlog(backlog)) => return depth::run(storage(), backlog, jobs).await,
            (Self::Listing, Setting::Records(records)) => return listing::run(bed, records, jobs).await,
            (Self::Payload, Setting::Payload(bytes)) => return payload::run(storage(), bytes, jobs).await,
            (Self::Sustained, _) => return Ok(vec![sustained::run(storage(), jobs).await?.into()]),
            (Self::Pickup, _) => return Ok(vec![pickup::run(storage(), jobs).await?.into()]),
            (Self::Delayed, _) => return Ok(vec![pickup::delayed(storage(), setting, jobs).await?.into()]),
            (Self::Footprint, _) => return footprint::run(bed.kind, setting, jobs).await,
            (Self::PullC64, _) => return pull::run(storage(), jobs).await,
            (Self::Soak, _) => return Ok(vec![soak::run(storage(), jobs).await?.into()]),
            (scenario, setting) => anyhow::bail!("{scenario} has no setting {setting:?}"),
        };
        Ok(took.readings(jobs))
    }
}

/// As the command line and the results name it.
impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = clap::ValueEnum::to_possible_value(self).expect("no scenario is hidden");
        f.write_str(value.get_name())
    }
}
