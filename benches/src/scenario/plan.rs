//! How much of each scenario is run.

use super::{Scenario, Setting, worker::TUNED};
use crate::{floor, store::StoreKind};

impl Scenario {
    pub(crate) fn settings(self, store: StoreKind) -> Vec<Setting> {
        match self {
            Self::Drain => [Setting::Default].into_iter().chain(TUNED.iter().copied()).collect(),
            Self::Depth => [1_000, 100_000, 1_000_000].map(Setting::Backlog).to_vec(),
            Self::Listing => [1_000, 100_000, 1_000_000].map(Setting::Records).to_vec(),
            Self::Consumers => {
                let processes: &[usize] = if store.is_shared() { &[1, 2, 4] } else { &[] };
                let workers = [1, 8, 64].map(Setting::Workers);
                workers.into_iter().chain(processes.iter().copied().map(Setting::Processes)).collect()
            }
            Self::Payload => [100, 10_000, 1 << 20].map(Setting::Payload).to_vec(),
            Self::Footprint => vec![Setting::Pending, Setting::Completed],
            floor if floor.is_floor() => floor::settings(store, self),
            _ => vec![Setting::Default],
        }
    }

    /// Enough for a second or more. Of what goes by time, so many milliseconds.
    pub(crate) fn jobs(self, store: StoreKind, setting: Setting) -> usize {
        let is_memory = store == StoreKind::Memory;
        match self {
            Self::EnqueueSeq if !is_memory => 10_000,
            Self::EnqueueSeq | Self::EnqueueC64 | Self::EnqueueBatch | Self::Drain if is_memory => 1_000_000,
            Self::Pickup => 1_000,
            Self::Listing => 200,
            Self::Call | Self::FloorWrite => 2_000,
            Self::CallC50 => 20_000,
            Self::Delayed => 500,
            Self::Payload => match setting {
                Setting::Payload(bytes) if bytes >= 1_000_000 => 200,
                Setting::Payload(bytes) if bytes >= 10_000 => 10_000,
                _ => 50_000,
            },
            Self::Depth | Self::PullC64 => 50_000,
            Self::Consumers | Self::Footprint => 100_000,
            Self::Sustained => 10_000,
            Self::Soak => 600_000,
            _ => 200_000,
        }
    }

    /// Fewer would show nothing.
    pub(crate) fn jobs_min(self) -> usize {
        match self {
            Self::Depth | Self::PullC64 => 2_000,
            Self::Sustained => 1_000,
            Self::Soak => 10_000,
            Self::Payload | Self::Listing => 20,
            _ => 100,
        }
    }

    /// What is shared by the jobs of one call, in words.
    pub(crate) fn batches(self) -> &'static str {
        match self {
            Self::EnqueueSeq | Self::Pickup | Self::Call => "1 job a call",
            Self::EnqueueC64 => "1 job a call, 64 calls at once",
            Self::CallC50 => "1 job a call, 50 calls at once",
            Self::EnqueueBatch => "1000 jobs a call",
            Self::Sustained | Self::Soak => {
                "100 jobs a call to enqueue; claims and settles as the worker makes them"
            }
            Self::Depth => "100 jobs a claim and a settle; the worker's as it makes them",
            Self::Drain | Self::DrainRemoved | Self::Delayed | Self::Consumers => {
                "1000 jobs a call to preload; claims and settles as the worker makes them"
            }
            Self::Payload => "up to 1000 jobs and 8 MiB a call to enqueue",
            Self::Footprint => "1000 jobs a call to enqueue",
            Self::FloorWrite => "1 payload a write",
            Self::Listing => "1 read at a time, 50 jobs a page",
            Self::PullC64 | Self::FloorEnqueue | Self::FloorDrain | Self::FloorCycle => "as the row says",
        }
    }
}
