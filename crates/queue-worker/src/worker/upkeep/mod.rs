//! Looks after jobs without a worker: ends the leases of workers that died, and removes records
//! past their purge time.
//!
//! Every worker does both at jittered intervals, and `claim` asks for a rescue where a lapse keeps
//! a queue from its jobs. Guards make it safe without a leader. The ticks do the same in a process
//! that runs no worker.

mod prune;
mod prune_tick;
mod queue_answers;
mod rescue;
mod rescue_tick;

pub use prune_tick::PruneTick;
pub use rescue_tick::RescueTick;

pub(super) use prune::prune_at_intervals;
pub(super) use queue_answers::QueueAnswers;
pub(super) use rescue::{rescue, rescue_at_intervals};

use super::run::WorkerRun;
use queue_core::asking::jittered;
use std::time::Duration;
use tokio::time::sleep;

/// Does something at jittered intervals until nothing is held any more.
pub(super) async fn repeat<F: Future<Output = ()>>(run: &WorkerRun, interval: Duration, act: impl Fn() -> F) {
    loop {
        tokio::select! {
            biased;
            () = run.shutdown.idle.cancelled() => return,
            () = sleep(jittered(interval, &*run.rng)) => act().await,
        }
    }
}
