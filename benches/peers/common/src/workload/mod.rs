//! What is measured.

mod call;
mod drain;
mod enqueue;
mod pickup;
mod producers;

use std::str::FromStr;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::peer::Peer;
use crate::report::Report;
use crate::setup::Setup;

/// How long a worker has to come to rest before its first job.
const IDLE: Duration = Duration::from_millis(400);
/// Jobs of one call, where a library stores many at once.
const BATCH: u64 = 1000;
/// How long producers enqueue.
const WINDOW: Duration = Duration::from_secs(1);

/// The names are the names of `cargo xtask bench`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// From the start of a worker until the store shows none of its jobs as unfinished.
    Drain,
    /// One producer, one job a call.
    EnqueueSeq,
    /// 64 producers, one job a call.
    EnqueueC64,
    /// One producer, 1000 jobs a call.
    EnqueueBatch,
    /// From the call of enqueue to the start of the handler of an idle worker.
    Pickup,
    /// Enqueue, and wait for the result: one after the other.
    Call,
    /// The same by 50 callers.
    CallC50,
}

pub(crate) async fn measure<P: Peer>(peer: &P, setup: &Setup) -> Result<Report> {
    match setup.workload {
        Workload::Drain => drain::measure(peer, setup).await,
        Workload::EnqueueSeq => enqueue::seq(peer).await,
        Workload::EnqueueC64 => enqueue::c64(peer).await,
        Workload::EnqueueBatch => enqueue::batch(peer).await,
        Workload::Pickup => pickup::measure(peer, setup).await,
        Workload::Call => call::one_by_one(peer, setup).await,
        Workload::CallC50 => call::c50(peer, setup).await,
    }
}

impl FromStr for Workload {
    type Err = anyhow::Error;

    fn from_str(word: &str) -> Result<Self> {
        Ok(match word {
            "drain" => Self::Drain,
            "enqueue_seq" => Self::EnqueueSeq,
            "enqueue_c64" => Self::EnqueueC64,
            "enqueue_batch" => Self::EnqueueBatch,
            "pickup" => Self::Pickup,
            "call" => Self::Call,
            "call_c50" => Self::CallC50,
            _ => bail!("no workload {word}"),
        })
    }
}
