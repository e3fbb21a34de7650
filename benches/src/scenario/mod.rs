mod drain;
mod enqueue;
mod job;

use crate::store::StoreKind;
use queue_core::Storage;
use serde::Serialize;
use std::{fmt, sync::Arc, time::Duration};

/// What is measured. The payload is a JSON object of about 100 bytes, the handler trivial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Scenario {
    /// One producer that awaits each call.
    EnqueueSeq,
    /// 64 producers that each await each call.
    EnqueueC64,
    /// One producer, 1000 jobs a call.
    EnqueueBatch,
    /// One worker at its defaults (64 handlers), until the store shows no unfinished job; results kept for an hour.
    Drain,
    /// The same, with jobs removed as they complete.
    DrainRemoved,
}

impl Scenario {
    /// Enough for a second or more.
    pub(crate) fn jobs(self, store: StoreKind) -> usize {
        match (self, store) {
            (Self::EnqueueSeq, StoreKind::SqliteFull | StoreKind::SqliteNormal) => 10_000,
            _ => 200_000,
        }
    }

    pub(crate) async fn run(self, storage: Arc<dyn Storage>, jobs: usize) -> anyhow::Result<Duration> {
        match self {
            Self::EnqueueSeq => enqueue::sequential(storage, jobs).await,
            Self::EnqueueC64 => enqueue::concurrent(storage, jobs).await,
            Self::EnqueueBatch => enqueue::batched(&*storage, jobs).await,
            Self::Drain => drain::run(storage, jobs, queue_core::Retention::default()).await,
            Self::DrainRemoved => drain::run(storage, jobs, queue_core::Retention::Remove).await,
        }
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
        })
    }
}
