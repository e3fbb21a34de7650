//! The name and the stop token of a run, which a program may ask for before the run begins.

use parking_lot::{Mutex, MutexGuard};
use queue_core::{Rng, WorkerId};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What one run of a worker has to itself, and the next has not.
#[derive(Clone, Debug)]
pub(in crate::worker) struct RunName {
    number: u64,
    pub(in crate::worker) id: WorkerId,
    /// The program chose the id, so another run may have it too.
    pub(in crate::worker) is_chosen: bool,
    pub(in crate::worker) stop: CancellationToken,
}

/// The name of the run in progress, or else of the next. A run can be named and stopped before it
/// begins.
#[derive(Debug)]
pub(in crate::worker) struct RunNames {
    /// Chosen by the program. Otherwise each run has a fresh id, since a name that is used twice
    /// hides orphans.
    chosen: Option<WorkerId>,
    rng: Arc<dyn Rng>,
    current: Mutex<RunName>,
}

impl RunNames {
    pub(in crate::worker) fn new(chosen: Option<WorkerId>, rng: Arc<dyn Rng>) -> Self {
        let current = Mutex::new(name(0, chosen.as_ref(), &*rng));
        Self { chosen, rng, current }
    }

    pub(super) fn current(&self) -> RunName {
        self.lock().clone()
    }

    /// Makes the name of the run after this one current. A second call for the same run changes
    /// nothing.
    pub(super) fn end(&self, run: &RunName) {
        let mut current = self.lock();
        if current.number == run.number {
            *current = name(run.number + 1, self.chosen.as_ref(), &*self.rng);
        }
    }

    fn lock(&self) -> MutexGuard<'_, RunName> {
        self.current.lock()
    }
}

fn name(number: u64, chosen: Option<&WorkerId>, rng: &dyn Rng) -> RunName {
    let id = chosen.cloned().unwrap_or_else(|| fresh_id(rng));
    RunName { number, id, is_chosen: chosen.is_some(), stop: CancellationToken::new() }
}

/// A name that no other process or run has: the process number and 64 random bits.
pub(crate) fn fresh_id(rng: &dyn Rng) -> WorkerId {
    WorkerId::new(format!("{}-{:016x}", std::process::id(), rng.next_u64())).expect("digits and a dash")
}
