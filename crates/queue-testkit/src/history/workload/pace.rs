//! How time passes for tasks: in steps of a manual clock, or in real time.

use queue_core::ManualClock;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{task::yield_now, time::sleep};

/// How time passes for the tasks of a workload.
#[derive(Clone, Debug)]
pub(super) enum Pace {
    /// This many steps each, on a clock that one of the tasks moves.
    Steps(usize, Arc<ManualClock>),
    /// Real time, until the flag is set.
    Until(Arc<AtomicBool>),
}

/// The round of a drain on a manual clock: longer than any wait or lease of a workload. The rounds
/// are far more than the longest wait and the largest budget take.
const STEPPED_ROUND: Duration = Duration::from_secs(1);
const STEPPED_ROUNDS_MAX: usize = 40;
/// A turn in real time: long enough that a load neither keeps a machine busy nor makes histories
/// that take long to judge.
const REAL_TURN: Duration = Duration::from_millis(2);
/// The round of a drain in real time; all rounds together are a minute.
const REAL_ROUND: Duration = Duration::from_millis(20);
const REAL_ROUNDS_MAX: usize = 3_000;

impl Pace {
    /// One item for each step.
    pub(super) fn steps(&self) -> impl Iterator<Item = usize> {
        (0..).take_while(|step| match self {
            Self::Steps(steps, _) => step < steps,
            Self::Until(is_over) => !is_over.load(Ordering::Acquire),
        })
    }

    /// Lets other tasks run for this many turns.
    pub(super) async fn pause(&self, turns: usize) {
        match self {
            Self::Steps(..) => {
                for _ in 0..turns {
                    yield_now().await;
                }
            }
            Self::Until(_) => sleep(REAL_TURN * u32::try_from(turns).expect("a few")).await,
        }
    }

    /// The most rounds that a drain may take.
    pub(super) fn rounds_max(&self) -> usize {
        match self {
            Self::Steps(..) => STEPPED_ROUNDS_MAX,
            Self::Until(_) => REAL_ROUNDS_MAX,
        }
    }

    /// Lets time pass between two rounds of a drain.
    pub(super) async fn pass_round(&self) {
        match self {
            Self::Steps(_, clock) => clock.advance(STEPPED_ROUND),
            Self::Until(_) => sleep(REAL_ROUND).await,
        }
    }
}
