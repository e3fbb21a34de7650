use super::{
    HeldJob,
    admission::Admission,
    forecast::Forecast,
    options::Options,
    prefetch::{Prefetch, horizon},
};
use parking_lot::{Mutex, MutexGuard};
use std::{collections::VecDeque, sync::Arc, time::Duration};
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

/// Jobs that wait for a handler, in claim order, and the runners that take them from here: one lock for both, so that a
/// runner that leaves and a job that arrives cannot miss each other.
#[derive(Debug)]
pub(super) struct Line {
    state: Mutex<State>,
    handlers: usize,
    prefetch: Prefetch,
    patience: Option<Duration>,
    /// Told when jobs have to wait.
    waits: Notify,
}

#[derive(Debug)]
struct State {
    jobs: VecDeque<Waiting>,
    /// Each runs one job at a time.
    runners: usize,
    forecast: Forecast,
    /// Whoever fills the line wants to hear when it is no longer than this.
    wanted_at: Option<usize>,
    /// Nothing more starts.
    is_closed: bool,
}

#[derive(Debug)]
struct Waiting {
    job: Arc<HeldJob>,
    since: Instant,
}

/// How long the line is, and how long it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Length {
    pub(super) now: usize,
    pub(super) most: usize,
}

/// What becomes of jobs that join the line.
#[derive(Debug)]
pub(super) enum Joined {
    /// So many runners more are to be started for them.
    Waiting(usize),
    /// They are to be given back: nothing more starts.
    Refused(Vec<Arc<HeldJob>>),
}

/// What a runner is to do next.
#[derive(Debug)]
pub(super) enum Next {
    /// This job. Whoever fills the line is to be told that it is short, if so.
    Job { job: Arc<HeldJob>, admission: Admission, is_wanted: bool },
    /// End: it is not counted any more.
    Leave,
}

impl Line {
    pub(super) fn new(options: &Options) -> Self {
        let (handlers, lease) = (options.concurrency, options.lease.as_duration());
        let forecast = Forecast::new(handlers, horizon(lease), Instant::now());
        let state = State { jobs: VecDeque::new(), runners: 0, forecast, wanted_at: None, is_closed: false };
        Self {
            state: Mutex::new(state),
            handlers,
            prefetch: options.prefetch,
            patience: options.prefetch.patience(lease),
            waits: Notify::new(),
        }
    }

    /// Adds the jobs of a claim, in its order.
    pub(super) fn join(&self, jobs: Vec<Arc<HeldJob>>) -> Joined {
        let (now, mut state) = (Instant::now(), self.state());
        if state.is_closed {
            return Joined::Refused(jobs);
        }
        let bytes = jobs.iter().map(|job| job.payload().bytes.len() as u64).sum();
        state.forecast.claimed(jobs.len(), bytes, now);
        state.jobs.extend(jobs.into_iter().map(|job| Waiting { job, since: now }));
        let more = state.jobs.len().min(self.handlers.saturating_sub(state.runners));
        state.runners += more;
        let runners = state.runners;
        state.forecast.take(runners, now);
        if state.jobs.len() > more {
            self.waits.notify_one();
        }
        Joined::Waiting(more)
    }

    /// The first job for a runner, which has just done another unless it is new, and what becomes of it. That is decided
    /// here, so that starts are counted in the order of the line.
    pub(super) fn next(&self, has_done_one: bool, admit: impl FnOnce(&HeldJob) -> Admission) -> Next {
        let mut state = self.state();
        if has_done_one {
            state.forecast.handled();
        }
        let Some(Waiting { job, .. }) = state.jobs.pop_front() else {
            state.leave();
            return Next::Leave;
        };
        let left = state.jobs.len();
        let is_wanted = state.wanted_at.take_if(|wanted| left <= *wanted).is_some();
        Next::Job { admission: admit(&job), job, is_wanted }
    }

    /// A runner ended in the middle of a job.
    pub(super) fn lost_one(&self) {
        self.state().leave();
    }

    pub(super) fn length(&self) -> Length {
        let mut state = self.state();
        let most = match self.prefetch {
            Prefetch::Fixed(jobs) => jobs,
            Prefetch::ByHandlerTime => state.forecast.ready(Instant::now()),
        };
        Length { now: state.jobs.len(), most }
    }

    /// The runner that makes the line this short says so; false if it is already.
    pub(super) fn want(&self, wanted_at: usize) -> bool {
        let mut state = self.state();
        let is_longer = state.jobs.len() > wanted_at;
        state.wanted_at = is_longer.then_some(wanted_at);
        is_longer
    }

    /// Resolves when a job has waited for longer than the patience, with the whole line: what is claimed next is behind
    /// all of it in the order of the queue. Never with a fixed prefetch.
    pub(super) async fn too_slow(&self) -> Vec<Arc<HeldJob>> {
        let Some(patience) = self.patience else { return std::future::pending().await };
        loop {
            match self.first_is_too_slow(patience) {
                Ok(jobs) => return jobs,
                Err(None) => self.waits.notified().await,
                Err(Some(patience_ends_at)) => sleep_until(patience_ends_at).await,
            }
        }
    }

    /// The whole line, or when it may come to that.
    fn first_is_too_slow(&self, patience: Duration) -> Result<Vec<Arc<HeldJob>>, Option<Instant>> {
        let (now, mut state) = (Instant::now(), self.state());
        let patience_ends_at = state.jobs.front().map(|first| first.since + patience).ok_or(None)?;
        if patience_ends_at > now {
            return Err(Some(patience_ends_at));
        }
        state.forecast.was_wrong(now);
        Ok(state.empty())
    }

    /// Nothing starts any more. Answers what did not.
    pub(super) fn close(&self) -> Vec<Arc<HeldJob>> {
        let mut state = self.state();
        state.is_closed = true;
        state.empty()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl State {
    fn leave(&mut self) {
        self.runners -= 1;
        let runners = self.runners;
        self.forecast.take(runners, Instant::now());
    }

    fn empty(&mut self) -> Vec<Arc<HeldJob>> {
        self.jobs.drain(..).map(|waiting| waiting.job).collect()
    }
}
