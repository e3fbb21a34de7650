//! The jobs that wait for a handler, and how many may.

use super::{forecast::Forecast, start_decision::StartDecision};
use crate::worker::{
    hold::HeldJob,
    setup::{Prefetch, WorkerOptions, prefetch::horizon},
};
use parking_lot::{Mutex, MutexGuard};
use std::{
    collections::{BTreeSet, VecDeque},
    sync::Arc,
    time::Duration,
};
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

/// Jobs that wait for a handler, in claim order, and the count of runners that take them from here.
/// One lock has both, so that a runner that leaves and a job that arrives cannot miss each other.
#[derive(Debug)]
pub(super) struct ReadyJobs {
    state: Mutex<ReadyState>,
    handlers: usize,
    prefetch: Prefetch,
    /// How long a job may wait; `None` if it may wait for ever.
    patience: Option<Duration>,
    /// Fires when jobs have to wait.
    has_waiting: Notify,
}

#[derive(Debug)]
struct ReadyState {
    jobs: VecDeque<ReadyJob>,
    /// Each runs one job at a time.
    runners: usize,
    forecast: Forecast,
    /// The fetcher wants a signal when no more than this many jobs wait.
    signal_at: Option<usize>,
    /// Nothing more starts.
    is_closed: bool,
}

#[derive(Debug)]
struct ReadyJob {
    job: Arc<HeldJob>,
    since: Instant,
}

/// The answer to jobs that were added.
#[derive(Debug)]
pub(super) enum AddResult {
    /// The jobs wait, and this many more runners are to be started for them.
    Waiting { new_runners: usize },
    /// The jobs are to be given back: nothing more starts.
    Closed(Vec<Arc<HeldJob>>),
}

/// What a runner is to do next.
#[derive(Debug)]
pub(super) enum RunnerStep {
    /// Take this job. Then the fetcher is to be signalled that few jobs wait, if it wants that.
    Job { job: Arc<HeldJob>, decision: StartDecision, signals: bool },
    /// End. The runner is not counted any more.
    Leave,
}

/// What the patience of the worker means for the jobs that wait.
enum FirstJobWait {
    /// The first has waited for too long, so all are to be given back.
    Over(Vec<Arc<HeldJob>>),
    /// The first may wait until then.
    Until(Instant),
    /// No job waits.
    NoJobs,
}

impl ReadyJobs {
    pub(super) fn new(options: &WorkerOptions) -> Self {
        let lease = options.lease.as_duration();
        let forecast = Forecast::new(options.concurrency, horizon(lease), Instant::now());
        let state =
            ReadyState { jobs: VecDeque::new(), runners: 0, forecast, signal_at: None, is_closed: false };
        Self {
            state: Mutex::new(state),
            handlers: options.concurrency,
            prefetch: options.prefetch,
            patience: options.prefetch.patience(lease),
            has_waiting: Notify::new(),
        }
    }

    /// Adds the jobs of a claim, in its order.
    pub(super) fn add(&self, jobs: Vec<Arc<HeldJob>>) -> AddResult {
        let now = Instant::now();
        let mut state = self.state();
        if state.is_closed {
            return AddResult::Closed(jobs);
        }
        let bytes = jobs.iter().map(|job| job.payload().bytes.len() as u64).sum();
        state.forecast.claimed(jobs.len(), bytes, now);
        state.jobs.extend(jobs.into_iter().map(|job| ReadyJob { job, since: now }));
        let new_runners = state.jobs.len().min(self.handlers.saturating_sub(state.runners));
        state.runners += new_runners;
        let runners = state.runners;
        state.forecast.take(runners, now);
        // Runners take the first jobs at once; only the jobs behind them wait and need watching.
        if state.jobs.len() > new_runners {
            self.has_waiting.notify_one();
        }
        AddResult::Waiting { new_runners }
    }

    /// Takes the first job for a runner, which has just done another unless it is new. The start of
    /// the job is decided here, under the lock, so that starts are counted in claim order.
    pub(super) fn next(
        &self,
        has_done_one: bool,
        decide: impl FnOnce(&HeldJob) -> StartDecision,
    ) -> RunnerStep {
        let mut state = self.state();
        if has_done_one {
            state.forecast.handled();
        }
        let Some(ReadyJob { job, .. }) = state.jobs.pop_front() else {
            state.leave();
            return RunnerStep::Leave;
        };
        let left = state.jobs.len();
        let signals = state.signal_at.take_if(|signal_at| left <= *signal_at).is_some();
        RunnerStep::Job { decision: decide(&job), job, signals }
    }

    /// Notes that a runner ended in the middle of a job.
    pub(super) fn lost_runner(&self) {
        self.state().leave();
    }

    /// The most jobs that may wait now.
    pub(super) fn max(&self) -> usize {
        match self.prefetch {
            Prefetch::Fixed(jobs) => jobs,
            Prefetch::ByHandlerTime => self.state().forecast.ready(Instant::now()),
        }
    }

    /// Asks for a signal from the runner that leaves no more than `count` jobs waiting; false if no
    /// more wait already.
    pub(super) fn signal_when_down_to(&self, count: usize) -> bool {
        let mut state = self.state();
        let is_above = state.jobs.len() > count;
        state.signal_at = is_above.then_some(count);
        is_above
    }

    /// Resolves with all jobs that wait when one has waited for longer than the patience: jobs that
    /// are claimed next come after all of them in the order of the queue. Never resolves with a
    /// fixed prefetch.
    pub(super) async fn too_slow(&self) -> Vec<Arc<HeldJob>> {
        let Some(patience) = self.patience else { return std::future::pending().await };
        loop {
            match self.look_at_first(patience) {
                FirstJobWait::Over(jobs) => return jobs,
                FirstJobWait::NoJobs => self.has_waiting.notified().await,
                FirstJobWait::Until(end) => sleep_until(end).await,
            }
        }
    }

    /// Takes all jobs if the first has waited for too long.
    fn look_at_first(&self, patience: Duration) -> FirstJobWait {
        let now = Instant::now();
        let mut state = self.state();
        let Some(first) = state.jobs.front() else { return FirstJobWait::NoJobs };
        let end = first.since + patience;
        if end > now {
            return FirstJobWait::Until(end);
        }
        state.forecast.was_wrong(now);
        FirstJobWait::Over(state.take_all())
    }

    /// Takes the jobs that have not started and that `is_wanted` selects.
    pub(super) fn take_if(&self, is_wanted: impl Fn(&HeldJob) -> bool) -> Vec<Arc<HeldJob>> {
        let mut state = self.state();
        let (taken, kept): (VecDeque<_>, _) =
            std::mem::take(&mut state.jobs).into_iter().partition(|ready| is_wanted(&ready.job));
        state.jobs = kept;
        taken.into_iter().map(|ready| ready.job).collect()
    }

    /// The indexes of the queues whose jobs have not started.
    pub(super) fn queues(&self) -> BTreeSet<usize> {
        self.state().jobs.iter().map(|ready| ready.job.queue_index()).collect()
    }

    /// Starts nothing more, and takes the jobs that have not started.
    pub(super) fn close(&self) -> Vec<Arc<HeldJob>> {
        let mut state = self.state();
        state.is_closed = true;
        state.take_all()
    }

    fn state(&self) -> MutexGuard<'_, ReadyState> {
        self.state.lock()
    }
}

impl ReadyState {
    fn leave(&mut self) {
        self.runners -= 1;
        let runners = self.runners;
        self.forecast.take(runners, Instant::now());
    }

    fn take_all(&mut self) -> Vec<Arc<HeldJob>> {
        self.jobs.drain(..).map(|ready| ready.job).collect()
    }
}
