//! The checked settings of a worker, from which each of its runs is made.

use super::{WorkerRun, run_name::RunNames};
use crate::{
    handler::SharedHandler,
    worker::{
        rate::KindRates,
        setup::{WorkedQueue, WorkerOptions},
        watch::EventObserver,
    },
};
use queue_core::{Rng, Storage};
use std::sync::Arc;
use tokio::sync::{Mutex, Notify, OwnedMutexGuard};

/// What all runs of one worker have in common.
#[derive(Debug)]
pub(in crate::worker) struct WorkerPlan {
    pub(in crate::worker) storage: Arc<dyn Storage>,
    pub(in crate::worker) queues: Vec<Arc<WorkedQueue>>,
    pub(in crate::worker) kinds: Arc<KindRates>,
    pub(in crate::worker) rate_freed: Arc<Notify>,
    pub(in crate::worker) handler: SharedHandler,
    pub(in crate::worker) options: WorkerOptions,
    pub(in crate::worker) rng: Arc<dyn Rng>,
    pub(in crate::worker) observer: EventObserver,
    pub(in crate::worker) names: RunNames,
    /// A run holds this lock until its last part has ended, so that limits hold over one run and
    /// the next.
    pub(in crate::worker) turn: Arc<Mutex<()>>,
}

/// The right to run, which one run at a time has.
pub(super) type RunTurn = OwnedMutexGuard<()>;

impl WorkerPlan {
    /// Waits until the run before has ended, and begins the next.
    pub(super) async fn begin(&self) -> (RunTurn, Arc<WorkerRun>) {
        let turn = self.turn.clone().lock_owned().await;
        (turn, Arc::new(WorkerRun::new(self, self.names.current())))
    }
}
