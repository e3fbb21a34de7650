use parking_lot::{Mutex, MutexGuard};
use queue_core::{Rng, WorkerId};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What tells one run of a worker from the next.
#[derive(Clone, Debug)]
pub(super) struct RunName {
    number: u64,
    pub(super) id: WorkerId,
    pub(super) stop: CancellationToken,
}

/// The name of the run that goes on, or else of the next: it can be asked for, and stopped, before it begins.
#[derive(Debug)]
pub(super) struct RunNames {
    /// Chosen by the program; otherwise each run has a fresh id, since a name used twice hides orphans.
    chosen: Option<WorkerId>,
    rng: Arc<dyn Rng>,
    current: Mutex<RunName>,
}

impl RunNames {
    pub(super) fn new(chosen: Option<WorkerId>, rng: Arc<dyn Rng>) -> Self {
        let current = Mutex::new(name(0, chosen.as_ref(), &*rng));
        Self { chosen, rng, current }
    }

    pub(super) fn current(&self) -> RunName {
        self.lock().clone()
    }

    /// Whoever asks from now on asks about the run after this one. Doing so twice is once.
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
    RunName { number, id, stop: CancellationToken::new() }
}

pub(crate) fn fresh_id(rng: &dyn Rng) -> WorkerId {
    WorkerId::new(format!("{}-{:016x}", std::process::id(), rng.next_u64())).expect("digits and a dash")
}
