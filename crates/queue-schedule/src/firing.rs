//! The one decision about the jobs that a schedule enqueues at its ticks. A worker that the
//! schedule wakes and an edit that replaces it both ask here, so both keep the same policies, the
//! same bounds and the same report.

use crate::{Ahead, Due, Overlap, Progress, ScheduleError, ScheduleSpec, TICKS_MAX};
use queue_core::{JobId, Limits, NewJob, Span, State, Timestamp};

/// Store time that leads its clock runs at 63/64 of it, so that a wait by store time takes longer
/// by one part in 63.
const SLOW_PART: i64 = 64;

/// The most single moments in consecutive milliseconds among which a run by hand looks for a free
/// one.
const MOMENTS_MAX: i64 = 1_000;

/// The space that one call to a store has left for the jobs of ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallRoom {
    jobs: usize,
    bytes: usize,
}

/// What a schedule must know before it fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FiringContext {
    /// The progress that is stored beside the schedule, if there is one.
    pub progress: Option<Progress>,
    /// The state of the job that [`ScheduleSpec::previous`] names; `None` if there is no such job.
    pub previous: Option<State>,
    /// The store's time in the reply with that job, by which the schedule sleeps.
    pub now: Timestamp,
    /// The `clock` of that reply, by which the ticks go; see [`ScheduleSpec::due`].
    pub clock: Timestamp,
    /// The space of the call that enqueues.
    pub room: CallRoom,
}

/// What a schedule does when it fires. A caller first cancels the job in `cancel`, then stores
/// `progress` and enqueues `jobs` in one step, and [logs](Self::log) `skipped` and `ahead`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Firing {
    /// The jobs of the ticks that run, oldest first.
    pub jobs: Vec<NewJob>,
    /// The number of ticks that are left out, because they are late or because they would overlap;
    /// counted up to [`TICKS_MAX`] late ones.
    pub skipped: usize,
    /// The job of the previous tick, if it has to end.
    pub cancel: Option<JobId>,
    /// The progress after this step.
    pub progress: Progress,
    /// How long the schedule then sleeps by store time; `None` if no tick is left.
    pub sleep: Option<Span>,
    /// Whether more ticks are due than one call takes. The rest fires at once after this step.
    pub more: bool,
    /// How far the progress before lay ahead of the clock, if that was too far.
    pub ahead: Option<Ahead>,
}

impl CallRoom {
    /// The space that is left beside so many other jobs and transitions, and so many bytes of
    /// theirs.
    pub const fn beside(limits: &Limits, jobs: usize, bytes: usize) -> Self {
        Self {
            jobs: limits.batch_max.saturating_sub(jobs),
            bytes: limits.call_bytes_max.saturating_sub(bytes),
        }
    }

    /// The number of ticks, at least one.
    fn ticks(self, bytes_each: usize) -> usize {
        TICKS_MAX.min(self.jobs).min(self.bytes / bytes_each.max(1)).max(1)
    }
}

impl Firing {
    /// A schedule that enqueues nothing and stays where it is, as a paused one does.
    pub const fn none(progress: Progress) -> Self {
        Self { jobs: Vec::new(), skipped: 0, cancel: None, progress, sleep: None, more: false, ahead: None }
    }

    /// Logs the ticks that are left out and a schedule that is ahead of the clock. A caller does
    /// so once its step is stored, or is about to be.
    pub fn log(&self, schedule: &JobId) {
        if self.skipped > 0 {
            tracing::warn!(%schedule, ticks = self.skipped, "a schedule left ticks out, as its policy says");
        }
        if let Some(ahead) = self.ahead {
            tracing::warn!(%schedule, "{ahead}");
        }
    }
}

impl ScheduleSpec {
    /// The id of the job of the last tick that ran, whose state [`fire`](Self::fire) asks for.
    ///
    /// # Errors
    /// [`ScheduleError::Name`].
    pub fn previous(&self, progress: Option<Progress>) -> Result<Option<JobId>, ScheduleError> {
        self.standing(progress).ran.map(|tick| self.tick_id(tick)).transpose()
    }

    /// Decides which ticks run now. The decision depends on nothing but its arguments, so a caller
    /// that repeats it after a lost answer makes the same jobs.
    ///
    /// # Errors
    /// The errors of [`tick_job`](Self::tick_job).
    pub fn fire(&self, context: &FiringContext) -> Result<Firing, ScheduleError> {
        let before = self.standing(context.progress);
        let mut due = self.due_at_most(self.ticks_max(context.room), Some(before), context.clock);
        let found = due.run.len();
        let runs = context.previous.is_some_and(|state| !state.is_terminal());
        self.leave_out_overlaps(&mut due, runs);
        let cancels = runs && self.overlap == Overlap::CancelPrevious && !due.run.is_empty();
        let ran = due.run.last().copied().or(before.ran);
        let jobs: Result<_, _> = due.run.iter().map(|tick| self.tick_job(*tick)).collect();
        Ok(Firing {
            jobs: jobs?,
            skipped: due.skipped + (found - due.run.len()),
            cancel: if cancels { self.previous(context.progress)? } else { None },
            progress: Progress { ran, ..due.progress },
            sleep: due.wait.map(|wait| by_store_time(wait, context.now, context.clock)),
            more: due.more,
            ahead: due.ahead,
        })
    }

    /// How long a schedule sleeps by store time until the first tick after `dealt` is to be
    /// handled; `None` if there is none.
    pub fn sleep(&self, dealt: Timestamp, now: Timestamp, clock: Timestamp) -> Option<Span> {
        self.wait(dealt, clock).map(|wait| by_store_time(wait, now, clock))
    }

    /// The job of a run by hand, beside all ticks and regardless of every policy. In the
    /// millisecond of a tick it is the job of the next millisecond without one, since the id
    /// belongs to the tick.
    ///
    /// # Errors
    /// The errors of [`tick_job`](Self::tick_job).
    pub fn job_now(&self, clock: Timestamp) -> Result<NewJob, ScheduleError> {
        let mut moments = (0..=MOMENTS_MAX).map(|later| clock + Span::from_millis(later));
        let moment = moments.find(|moment| !self.timing.is_tick(*moment)).unwrap_or(clock);
        Ok(self.job.job(self.tick_id(moment)?, moment, Span::ZERO))
    }

    /// One job at most is enqueued where jobs must not overlap, however many ticks are due.
    fn ticks_max(&self, room: CallRoom) -> usize {
        if self.overlap == Overlap::Allow { room.ticks(self.job.bytes_max()) } else { TICKS_MAX }
    }

    /// Leaves out due ticks that must not overlap with the tick before or with each other.
    fn leave_out_overlaps(&self, due: &mut Due, previous_runs: bool) {
        match self.overlap {
            Overlap::Allow => {}
            Overlap::Skip if previous_runs => due.run.clear(),
            // The job of the first tick has not ended when this step enqueues the others.
            Overlap::Skip => due.run.truncate(1),
            // Each due tick but the newest would be cancelled by the one after it.
            Overlap::CancelPrevious => drop(due.run.drain(..due.run.len().saturating_sub(1))),
        }
    }
}

/// Makes a wait rather too short than too long: a schedule that wakes early finds no tick due, and
/// sleeps for the rest.
fn by_store_time(wait: Span, now: Timestamp, clock: Timestamp) -> Span {
    if now <= clock { wait } else { Span::from_millis(wait.as_millis() - wait.as_millis() / SLOW_PART) }
}
