use super::{
    HeldJob, WorkerEvent,
    held_jobs::HeldJobs,
    observer::Observer,
    options::Options,
    plan::Plan,
    rate::KindRates,
    report::{Counted, Counters},
    run_name::RunName,
    work_queue::WorkedQueue,
};
use parking_lot::{Mutex, MutexGuard};
use queue_core::{Error, ErrorKind, QueueName, Rng, Storage};
use std::sync::{Arc, OnceLock};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// What the parts of one run share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(super) storage: Arc<dyn Storage>,
    /// At least one.
    pub(super) queues: Vec<Arc<WorkedQueue>>,
    pub(super) kinds: Arc<KindRates>,
    pub(super) name: RunName,
    /// The kinds that there are handlers for, if the handler says so.
    pub(super) handled: Option<Vec<String>>,
    pub(super) options: Options,
    pub(super) rng: Arc<dyn Rng>,
    pub(super) signals: Signals,
    /// Each has a slot: those that run, those that wait for a handler, and those whose settle is not durable yet. Only those
    /// that are set aside have none.
    held: Mutex<HeldJobs>,
    /// Told when there may be room for more jobs.
    pub(super) room_freed: Notify,
    /// Told when the last held job is let go.
    pub(super) emptied: Notify,
    /// Told when a job is held whose lease lapses soon.
    pub(super) held_late: Notify,
    /// Told when a start that was reserved under a rate limit is used, or free again.
    pub(super) rate_freed: Arc<Notify>,
    counters: Counters,
    /// Why the run ended, if nobody asked it to.
    error: OnceLock<Error>,
    pub(super) observer: Observer,
}

/// The steps of a shutdown, each a token that fires once.
#[derive(Clone, Debug, Default)]
pub(super) struct Signals {
    /// Claim nothing more and start nothing more.
    pub(super) stop: CancellationToken,
    /// The store answers nothing any more, so no handler's outcome can be stored.
    pub(super) store_gone: CancellationToken,
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
            handled: plan.handler.0.kinds(),
            rng: plan.rng.clone(),
            options,
            held: Mutex::default(),
            room_freed: Notify::new(),
            emptied: Notify::new(),
            held_late: Notify::new(),
            counters: Counters::default(),
            error: OnceLock::new(),
            observer: plan.observer.clone(),
        }
    }

    /// Adds jobs to those that are held.
    pub(super) fn hold<T>(&self, add: impl FnOnce(&mut HeldJobs) -> T) -> T {
        add(&mut self.held())
    }

    pub(super) fn let_go<'a>(&self, jobs: impl IntoIterator<Item = &'a HeldJob>) {
        let mut held = self.held();
        for job in jobs {
            // The start that was reserved for it is free for another, unless it was used.
            drop(self.queues[job.lane()].rate.as_ref().and_then(|_| job.take_start()));
            held.remove(job);
        }
        if held.count() == 0 {
            self.emptied.notify_one();
        }
        drop(held);
        self.room_freed.notify_one();
    }

    /// Lets go of a job whose outcome is not stored, and says so.
    pub(super) fn abandon(&self, job: &HeldJob) {
        let (id, seq) = (job.meta().id.clone(), job.meta().seq);
        job.give_up();
        self.let_go([job]);
        self.emit(&WorkerEvent::Abandoned { id, seq });
    }

    /// Lets go of a job whose lease was lost, and says so.
    pub(super) fn lose(&self, job: &HeldJob) {
        let (id, seq) = (job.meta().id.clone(), job.meta().seq);
        self.let_go([job]);
        self.emit(&WorkerEvent::LeaseLost { id, seq });
    }

    pub(super) fn held_jobs(&self) -> Vec<Arc<HeldJob>> {
        self.held().all()
    }

    pub(super) fn is_holding(&self, job: &HeldJob) -> bool {
        self.held().contains(job)
    }

    pub(super) fn held_count(&self) -> usize {
        self.held().count()
    }

    /// How many of them take a slot.
    pub(super) fn slots_taken(&self) -> usize {
        self.held().in_slots()
    }

    /// The store does not take the outcomes of these jobs now. They leave their slots to other queues; theirs are not
    /// claimed from meanwhile, so that a worker holds at most its slots of each.
    pub(super) fn set_aside<'a>(&self, jobs: impl IntoIterator<Item = &'a HeldJob>) {
        let mut held = self.held();
        jobs.into_iter().for_each(|job| held.set_aside(job));
        drop(held);
        self.room_freed.notify_one();
    }

    /// The store takes the outcomes of a queue again.
    pub(super) fn is_back(&self, lane: usize) {
        self.held().is_back(lane);
        self.room_freed.notify_one();
    }

    pub(super) fn is_away(&self, lane: usize) -> bool {
        self.held().is_away(lane)
    }

    pub(super) fn emit(&self, event: &WorkerEvent) {
        self.counters.count(Counted::of(event));
        self.observer.tell(event);
    }

    /// The same for what happens to every job: the event is made only if somebody listens.
    pub(super) fn note(&self, counted: Counted, event: impl FnOnce() -> WorkerEvent) {
        self.counters.count(Some(counted));
        if self.observer.has_listener() {
            self.observer.tell(&event());
        }
    }

    /// Reports what the store refused for one queue.
    pub(super) fn report_error_of(&self, queue: &QueueName, error: Error) {
        tracing::warn!(%queue, worker = %self.name.id, %error, "the store refused");
        self.note_error(error);
    }

    pub(super) fn report_error(&self, error: Error) {
        tracing::warn!(worker = %self.name.id, %error, "the store refused");
        self.note_error(error);
    }

    /// A handle that is closed stays closed, so asking on would be for ever.
    fn note_error(&self, error: Error) {
        self.emit(&WorkerEvent::Error(error.clone()));
        if error.kind() == ErrorKind::Closed {
            if !self.signals.stop.is_cancelled() {
                let _first = self.error.set(error);
            }
            self.signals.stop.cancel();
            self.signals.store_gone.cancel();
        }
    }

    pub(super) fn report(&self) -> super::Report {
        super::Report { error: self.error.get().cloned(), ..self.counters.report() }
    }

    fn held(&self) -> MutexGuard<'_, HeldJobs> {
        self.held.lock()
    }
}
