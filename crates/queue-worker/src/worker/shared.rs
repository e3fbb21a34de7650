use super::{
    HeldJob, WorkerEvent, held_job::LeaseKey, observer::Observer, options::Options, plan::Plan,
    rate::KindRates, report::Counters, run_name::RunName, work_queue::WorkedQueue,
};
use queue_core::{Error, QueueName, Rng, Storage};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;

/// What the parts of one run share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(super) storage: Arc<dyn Storage>,
    /// At least one.
    pub(super) queues: Vec<Arc<WorkedQueue>>,
    pub(super) kinds: Arc<KindRates>,
    pub(super) name: RunName,
    pub(super) options: Options,
    pub(super) rng: Arc<dyn Rng>,
    pub(super) signals: Signals,
    /// One permit for each job that may be held: those that run, those that wait for a handler, and those whose
    /// settle is not durable yet.
    pub(super) slots: Arc<Semaphore>,
    /// Ordered, so that a seeded run repeats itself.
    held: Mutex<BTreeMap<LeaseKey, Arc<HeldJob>>>,
    /// Told when the last held job is let go.
    pub(super) emptied: Notify,
    /// Told when a start that was reserved under a rate limit is used, or free again.
    pub(super) rate_freed: Arc<Notify>,
    counters: Counters,
    pub(super) observer: Observer,
}

/// The steps of a shutdown, each a token that fires once.
#[derive(Clone, Debug, Default)]
pub(super) struct Signals {
    /// Claim nothing more and start nothing more.
    pub(super) stop: CancellationToken,
    /// Abort what still runs, and give up settles that cannot be stored.
    pub(super) abort: CancellationToken,
    /// Wait no longer for answers of the store.
    pub(super) cut_off: CancellationToken,
    /// Nothing is held any more: the background parts may end.
    pub(super) idle: CancellationToken,
}

impl Shared {
    pub(super) fn new(plan: &Plan, name: RunName) -> Self {
        let options = plan.options.clone();
        Self {
            storage: plan.storage.clone(),
            queues: plan.queues.clone(),
            kinds: plan.kinds.clone(),
            rate_freed: plan.rate_freed.clone(),
            signals: Signals { stop: name.stop.clone(), ..Signals::default() },
            name,
            rng: plan.rng.clone(),
            slots: Arc::new(Semaphore::new(options.concurrency + options.prefetch)),
            options,
            held: Mutex::default(),
            emptied: Notify::new(),
            counters: Counters::default(),
            observer: plan.observer.clone(),
        }
    }

    pub(super) fn hold(&self, job: Arc<HeldJob>) {
        self.held().insert(job.key(), job);
    }

    pub(super) fn let_go(&self, job: &HeldJob) {
        job.make_room();
        let mut held = self.held();
        held.remove(&job.key());
        if held.is_empty() {
            self.emptied.notify_one();
        }
    }

    /// Lets go of a job whose outcome is not stored, and says so.
    pub(super) fn abandon(&self, job: &HeldJob) {
        let (id, seq) = (job.meta().id.clone(), job.meta().seq);
        self.let_go(job);
        self.emit(&WorkerEvent::Abandoned { id, seq });
    }

    pub(super) fn held_jobs(&self) -> Vec<Arc<HeldJob>> {
        self.held().values().cloned().collect()
    }

    pub(super) fn is_holding(&self, job: &HeldJob) -> bool {
        self.held().contains_key(&job.key())
    }

    pub(super) fn held_count(&self) -> usize {
        self.held().len()
    }

    pub(super) fn emit(&self, event: &WorkerEvent) {
        self.counters.count(event);
        self.observer.tell(event);
    }

    /// Reports what the store refused for one queue.
    pub(super) fn report_error_of(&self, queue: &QueueName, error: Error) {
        tracing::warn!(%queue, worker = %self.name.id, %error, "the store refused");
        self.emit(&WorkerEvent::Error(error));
    }

    pub(super) fn report_error(&self, error: Error) {
        tracing::warn!(worker = %self.name.id, %error, "the store refused");
        self.emit(&WorkerEvent::Error(error));
    }

    pub(super) fn report(&self) -> super::Report {
        self.counters.report()
    }

    fn held(&self) -> MutexGuard<'_, BTreeMap<LeaseKey, Arc<HeldJob>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
