//! Starts handlers, and sends what came of their attempts to the settler.

use super::{
    execution::Execution,
    handler_run::NoOutcome,
    ready_jobs::{AddResult, ReadyJobs, RunnerStep},
    reserved,
    start_decision::{StartDecision, decide_start, is_paused},
};
use crate::{
    handler::{CancelReason, SharedHandler},
    spawn::tracked,
    worker::{hold::HeldJob, run::WorkerRun, settle::Settlement, trace},
};
use std::{collections::BTreeSet, future::poll_fn, pin::pin, sync::Arc};
use tokio::{sync::mpsc, task::coop::consume_budget};
use tokio_util::task::TaskTracker;
use tracing::Span;

/// Starts handlers in claim order, as many at once as allowed, and sends what came of their
/// attempts to the settler.
///
/// A handler runs on the task of a *runner*, which goes on with the next ready job as long as there
/// is one. So a job among many costs no task of its own, and a single job starts at once.
#[derive(Debug)]
pub(in crate::worker) struct Dispatcher {
    run: Arc<WorkerRun>,
    handler: SharedHandler,
    settlements: mpsc::UnboundedSender<Settlement>,
    runners: TaskTracker,
    ready: ReadyJobs,
}

/// Counts a runner out if it ends by a bug.
struct RunnerGuard<'a>(Option<&'a ReadyJobs>);

impl Dispatcher {
    pub(in crate::worker) fn new(
        run: Arc<WorkerRun>,
        handler: SharedHandler,
        settlements: mpsc::UnboundedSender<Settlement>,
        runners: TaskTracker,
    ) -> Self {
        let ready = ReadyJobs::new(&run.options);
        Self { run, handler, settlements, runners, ready }
    }

    /// Gives jobs back that wait for too long or are paused, and at the stop all that have not
    /// started.
    pub(in crate::worker) async fn watch_ready_jobs(self: Arc<Self>) {
        loop {
            tokio::select! {
                biased;
                () = self.run.shutdown.stop.cancelled() => break,
                () = self.run.paused.notified() => {
                    self.give_back(self.ready.take_if(|job| is_paused(&self.run, job)));
                }
                jobs = self.ready.too_slow() => self.give_back(jobs),
            }
        }
        self.give_back(self.ready.close());
        self.runners.close();
    }

    /// Has jobs handled in this order, behind those that wait.
    pub(in crate::worker) fn add(self: &Arc<Self>, mut jobs: Vec<Arc<HeldJob>>) {
        // Expired jobs are ended at once. Otherwise they would wait for a handler only to be ended
        // then.
        for job in jobs.extract_if(.., |job| job.is_too_late()) {
            self.settle(Settlement::expire(job));
        }
        match self.ready.add(jobs) {
            AddResult::Waiting { new_runners } => {
                for _ in 0..new_runners {
                    tracked(&self.runners, self.clone().run_jobs());
                }
            }
            AddResult::Closed(jobs) => self.give_back(jobs),
        }
    }

    /// The indexes of the queues with jobs that wait for a handler.
    pub(super) fn waiting_queues(&self) -> BTreeSet<usize> {
        self.ready.queues()
    }

    /// The most jobs that may wait for a handler now.
    pub(in crate::worker) fn ready_max(&self) -> usize {
        self.ready.max()
    }

    /// Has room signalled once no more than this many jobs wait; false if no more wait already.
    pub(in crate::worker) fn signal_when_down_to(&self, count: usize) -> bool {
        self.ready.signal_when_down_to(count)
    }

    /// The task of a runner.
    async fn run_jobs(self: Arc<Self>) {
        let mut guard = RunnerGuard(Some(&self.ready));
        let mut has_done_one = false;
        while let RunnerStep::Job { job, decision, signals } =
            self.ready.next(has_done_one, |job| decide_start(&self.run, job))
        {
            if signals {
                self.run.held.signal_room();
            }
            has_done_one = decision == StartDecision::Start;
            match decision {
                StartDecision::Start => self.execute(job).await,
                StartDecision::GiveBack => self.settle(Settlement::release(job)),
                StartDecision::TooLate => self.settle(Settlement::expire(job)),
                StartDecision::PutBack(wait) => self.settle(Settlement::put_back(job, wait)),
            }
            // Handlers that never wait must not keep a thread from everything else.
            consume_budget().await;
        }
        guard.0 = None;
    }

    async fn execute(&self, job: Arc<HeldJob>) {
        if job.meta().kind.is_reserved() {
            return self.settle(reserved::settlement(&self.run, job).await);
        }
        let span = trace::attempt(&job, &self.run.name.id);
        let mut attempt = pin!(self.attempt(job, &span));
        // `Instrumented` would move the whole future once more for every job, with a subscriber or
        // without.
        poll_fn(|context| span.in_scope(|| attempt.as_mut().poll(context))).await;
    }

    async fn attempt(&self, job: Arc<HeldJob>, span: &Span) {
        let settlement = Execution::new(&self.run, &job).run(&*self.handler.0, span).await;
        if let Err(no_outcome) = &settlement {
            trace::ended_without_outcome(span, no_outcome.name());
        }
        match settlement {
            Ok(settlement) => self.settle(settlement),
            Err(NoOutcome::LeaseLost) => self.run.lose(&job),
            // Work that goes on would overlap with a next attempt, so the lease is left to lapse.
            Err(NoOutcome::Interrupted) if job.is_blocking() => {
                job.cancel(CancelReason::Shutdown);
                self.run.abandon(&job);
            }
            Err(NoOutcome::Interrupted) => self.settle(Settlement::interrupt(job)),
            Err(NoOutcome::GiveBack) => self.settle(Settlement::release(job)),
            Err(NoOutcome::TooLate) => self.settle(Settlement::expire(job)),
        }
    }

    fn give_back(&self, jobs: Vec<Arc<HeldJob>>) {
        for job in jobs {
            self.settle(Settlement::release(job));
        }
    }

    fn settle(&self, settlement: Settlement) {
        settlement.job.note_outcome();
        // The settler outlives every sender, so a settlement always arrives.
        drop(self.settlements.send(settlement));
    }
}

impl Drop for RunnerGuard<'_> {
    fn drop(&mut self) {
        if let Some(ready) = self.0 {
            ready.lost_runner();
        }
    }
}
