use super::{
    HeldJob,
    admission::{Admission, admit},
    execution::{Execution, NoOutcome},
    line::{Joined, Length, Line, Next},
    reserved,
    settlement::Settlement,
    shared::Shared,
    trace,
};
use crate::{
    handler::{CancelReason, JobError, SharedHandler},
    spawn::tracked,
};
use queue_core::Payload;
use std::{future::poll_fn, pin::pin, sync::Arc};
use tokio::{sync::mpsc, task::coop::consume_budget};
use tokio_util::task::TaskTracker;
use tracing::Span;

/// Starts handlers in claim order, as many at once as allowed, and sends what they answered to the settler.
///
/// A handler runs on the task of a *runner*, which goes on with the next job of the line as long as there is one. So a job
/// among many costs no task of its own, and a single one starts at once.
#[derive(Debug)]
pub(super) struct Dispatcher {
    shared: Arc<Shared>,
    handler: SharedHandler,
    settlements: mpsc::UnboundedSender<Settlement>,
    running: TaskTracker,
    line: Line,
}

/// A runner's place among those that may run; given back if it ends by a bug.
struct Place<'a>(Option<&'a Line>);

impl Dispatcher {
    pub(super) fn new(
        shared: Arc<Shared>,
        handler: SharedHandler,
        settlements: mpsc::UnboundedSender<Settlement>,
        running: TaskTracker,
    ) -> Self {
        let line = Line::new(&shared.options);
        Self { shared, handler, settlements, running, line }
    }

    /// Gives jobs back that wait for too long, and at the stop all that have not started.
    pub(super) async fn run(self: Arc<Self>) {
        loop {
            tokio::select! {
                biased;
                () = self.shared.signals.stop.cancelled() => break,
                jobs = self.line.too_slow() => self.give_back(jobs),
            }
        }
        self.give_back(self.line.close());
        self.running.close();
    }

    /// Has jobs handled, in this order and behind those that wait.
    pub(super) fn add(self: &Arc<Self>, mut jobs: Vec<Arc<HeldJob>>) {
        // Those would wait for a handler only to be ended then.
        for job in jobs.extract_if(.., |job| job.is_too_late()) {
            self.settle(Settlement::expire(job));
        }
        match self.line.join(jobs) {
            Joined::Waiting(runners) => {
                for _ in 0..runners {
                    tracked(&self.running, self.clone().work());
                }
            }
            Joined::Refused(jobs) => self.give_back(jobs),
        }
    }

    pub(super) fn length(&self) -> Length {
        self.line.length()
    }

    /// Has the fetcher told when the line is no longer than this; false if it is not longer now.
    pub(super) fn tell_when_at(&self, length: usize) -> bool {
        self.line.want(length)
    }

    async fn work(self: Arc<Self>) {
        let mut place = Place(Some(&self.line));
        let mut has_done_one = false;
        while let Next::Job { job, admission, is_wanted } =
            self.line.next(has_done_one, |job| admit(&self.shared, job))
        {
            if is_wanted {
                self.shared.room_freed.notify_one();
            }
            has_done_one = admission == Admission::Start;
            match admission {
                Admission::Start => self.execute(job).await,
                Admission::GiveBack => self.settle(Settlement::release(job)),
                Admission::TooLate => self.settle(Settlement::expire(job)),
                Admission::PutBack(wait) => self.settle(Settlement::put_back(job, wait)),
            }
            // Handlers that never wait must not keep a thread from everything else.
            consume_budget().await;
        }
        place.0 = None;
    }

    async fn execute(&self, job: Arc<HeldJob>) {
        if job.meta().kind.is_reserved() {
            return self.settle(reserved::settlement(&self.shared, job).await);
        }
        let span = trace::attempt(&job, &self.shared.name.id);
        let mut attempt = pin!(self.attempt(job, &span));
        // `Instrumented` would move the whole future once more for every job, with a subscriber or without.
        poll_fn(|context| span.in_scope(|| attempt.as_mut().poll(context))).await;
    }

    async fn attempt(&self, job: Arc<HeldJob>, span: &Span) {
        let ended = Execution::new(&self.shared, &job).run(&*self.handler.0, span).await;
        if let Err(without) = &ended {
            trace::ended_without(span, *without);
        }
        match ended {
            Ok(settlement) => self.settle(settlement),
            Err(NoOutcome::LeaseLost) => self.shared.lose(&job),
            // Work that goes on would overlap with a next attempt, so its lease is left to lapse.
            Err(NoOutcome::Interrupted) if job.is_blocking() => {
                job.cancel(CancelReason::Shutdown);
                self.shared.abandon(&job);
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
        // The settler outlives whoever has a sender, so it always arrives.
        drop(self.settlements.send(settlement));
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if let Some(line) = self.0 {
            line.lost_one();
        }
    }
}

/// What a handler answers.
pub(super) type Outcome = Result<Payload, JobError>;
