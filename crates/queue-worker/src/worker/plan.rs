use super::{
    observer::Observer, options::Options, rate::KindRates, run_name::RunNames, shared::Shared,
    work_queue::WorkedQueue,
};
use crate::handler::SharedHandler;
use queue_core::{Rng, Storage};
use std::sync::Arc;
use tokio::sync::{Mutex, Notify, OwnedMutexGuard};

/// What all runs of one worker have in common.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) storage: Arc<dyn Storage>,
    pub(super) queues: Vec<Arc<WorkedQueue>>,
    pub(super) kinds: Arc<KindRates>,
    pub(super) rate_freed: Arc<Notify>,
    pub(super) handler: SharedHandler,
    pub(super) options: Options,
    pub(super) rng: Arc<dyn Rng>,
    pub(super) observer: Observer,
    pub(super) names: RunNames,
    /// Held by the run that goes on until its last part has ended, so that limits hold over one run and the next.
    pub(super) turn: Arc<Mutex<()>>,
}

/// The right to run, which one run at a time has.
pub(super) type Turn = OwnedMutexGuard<()>;

impl Plan {
    pub(super) async fn begin(&self) -> (Turn, Arc<Shared>) {
        let turn = self.turn.clone().lock_owned().await;
        (turn, Arc::new(Shared::new(self, self.names.current())))
    }
}
