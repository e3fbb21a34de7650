//! The state that the parts of one run share, and what they do with it: report errors, and let go
//! of jobs with an event.

use super::{
    run_name::RunName, shutdown_steps::ShutdownSteps, worker_pause::WorkerPause, worker_plan::WorkerPlan,
};
use crate::worker::{
    hold::{HeldJob, HeldJobs},
    rate::KindRates,
    setup::{WorkedQueue, WorkerOptions},
    upkeep::QueueAnswers,
    watch::{EventReporter, SeriesRecorder, WorkerEvent, WorkerReport},
};
use queue_core::{Error, ErrorKind, JobMeta, QueueName, Rng, Storage, UnreadableWaits};
use std::sync::{Arc, OnceLock};
use tokio::{sync::Notify, time::Instant};

/// One run of a worker, as its parts see it.
#[derive(Debug)]
pub(crate) struct WorkerRun {
    pub(in crate::worker) storage: Arc<dyn Storage>,
    /// At least one. Jobs name theirs by its place in this list, which is called the queue's index.
    pub(in crate::worker) queues: Vec<Arc<WorkedQueue>>,
    pub(in crate::worker) kinds: Arc<KindRates>,
    pub(in crate::worker) name: RunName,
    /// The kinds that the handler takes; `None` if it does not say.
    pub(in crate::worker) handled: Option<Vec<String>>,
    pub(in crate::worker) options: WorkerOptions,
    pub(in crate::worker) rng: Arc<dyn Rng>,
    pub(in crate::worker) shutdown: ShutdownSteps,
    pub(in crate::worker) held: HeldJobs,
    pub(in crate::worker) pause: WorkerPause,
    /// Fires when the worker, a queue or a kind is paused: jobs that have not started are to be
    /// given back. One part listens, the dispatcher.
    pub(in crate::worker) paused: Notify,
    /// Fires when a start that was reserved under a rate limit is used, or free again.
    pub(in crate::worker) rate_freed: Arc<Notify>,
    pub(in crate::worker) events: EventReporter,
    pub(in crate::worker) series: SeriesRecorder,
    /// When the store took writes of this worker.
    pub(in crate::worker) answers: QueueAnswers,
    /// Jobs of the library's own that this worker could not read.
    pub(in crate::worker) unreadable: UnreadableWaits,
    /// The error that ended the run, if one did.
    error: OnceLock<Error>,
}

impl WorkerRun {
    pub(super) fn new(plan: &WorkerPlan, name: RunName) -> Self {
        Self {
            storage: plan.storage.clone(),
            queues: plan.queues.clone(),
            answers: QueueAnswers::new(plan.queues.len(), plan.options.lease.as_duration()),
            kinds: plan.kinds.clone(),
            shutdown: ShutdownSteps { stop: name.stop.clone(), ..ShutdownSteps::default() },
            name,
            handled: plan.handler.0.kinds(),
            options: plan.options.clone(),
            rng: plan.rng.clone(),
            held: HeldJobs::default(),
            pause: WorkerPause::default(),
            paused: Notify::new(),
            rate_freed: plan.rate_freed.clone(),
            events: EventReporter::new(plan.observer.clone()),
            series: SeriesRecorder::new(plan.options.series && plan.storage.capabilities().series),
            unreadable: UnreadableWaits::default(),
            error: OnceLock::new(),
        }
    }

    /// Lets go of a job whose outcome is not stored, and says so.
    pub(in crate::worker) fn abandon(&self, job: &HeldJob) {
        let JobMeta { queue, id, seq, .. } = job.meta().clone();
        let lease_left = job.lease_end().saturating_duration_since(Instant::now());
        let still_runs = job.is_blocking().then_some(lease_left);
        job.give_up();
        self.held.let_go([job]);
        self.events.emit(&WorkerEvent::Abandoned { queue, id, seq, still_runs });
    }

    /// Lets go of a job whose lease was lost, and says so.
    pub(in crate::worker) fn lose(&self, job: &HeldJob) {
        let JobMeta { queue, id, seq, .. } = job.meta().clone();
        self.held.let_go([job]);
        self.events.emit(&WorkerEvent::LeaseLost { queue, id, seq });
    }

    /// Reports what the store refused for one queue.
    pub(in crate::worker) fn report_error_of(&self, queue: &QueueName, error: Error) {
        tracing::warn!(%queue, worker = %self.name.id, %error, "the store refused");
        if let Some(index) = self.queues.iter().position(|worked| worked.name == *queue) {
            self.answers.note_failure(index, &error);
        }
        self.note_error(error);
    }

    /// Reports what the store refused for all queues together.
    pub(in crate::worker) fn report_error(&self, error: Error) {
        tracing::warn!(worker = %self.name.id, %error, "the store refused");
        self.note_error(error);
    }

    /// A store that is closed stays closed, so its error ends the run: otherwise the worker would
    /// ask for ever.
    fn note_error(&self, error: Error) {
        self.events.emit(&WorkerEvent::Error(error.clone()));
        if error.kind() == ErrorKind::Closed {
            if !self.shutdown.stop.is_cancelled() {
                let _first = self.error.set(error);
            }
            self.shutdown.stop.cancel();
            self.shutdown.store_gone.cancel();
        }
    }

    pub(in crate::worker) fn report(&self) -> WorkerReport {
        WorkerReport { error: self.error.get().cloned(), ..self.events.report() }
    }
}
