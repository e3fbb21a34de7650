//! The status of a schedule.

use queue_core::{Error, JobMeta, JobRecord, Result, Span, State, Timestamp};
use queue_schedule::{Progress, ScheduleSpec, Tick};
use std::time::{Duration, SystemTime};

/// A schedule is late by the time from the read of the clock to the settle, which is no reason to
/// write it again at each start of a program.
const LATE_MIN: Duration = Duration::from_secs(1);

/// The status of a schedule.
#[derive(Clone, Debug)]
pub struct ScheduleStatus {
    spec: ScheduleSpec,
    meta: JobMeta,
    progress: Progress,
    now: Timestamp,
    clock: Timestamp,
}

impl ScheduleStatus {
    pub(super) fn of(record: JobRecord, now: Timestamp, clock: Timestamp) -> Result<Self> {
        let body = record.body.ok_or_else(|| Error::without_body("schedule"))?;
        let spec = ScheduleSpec::from_bytes(&body.payload.bytes)?;
        let stored = record.meta.progress().map(Progress::from_bytes).transpose()?;
        Ok(Self { progress: spec.standing(stored), spec, meta: record.meta, now, clock })
    }

    /// The name of the schedule.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// The complete definition of the schedule.
    pub fn spec(&self) -> &ScheduleSpec {
        &self.spec
    }

    /// The metadata of the job that the schedule is.
    pub fn meta(&self) -> &JobMeta {
        &self.meta
    }

    /// Whether the schedule waits until it is resumed.
    pub fn is_paused(&self) -> bool {
        self.meta.is_parked(self.now)
    }

    /// Whether the schedule cannot be read or written any more, and so does nothing: put it again.
    /// The job's last error says why.
    pub fn is_failed(&self) -> bool {
        self.meta.state == State::Failed
    }

    /// The next ticks by the store's clock, at most `count`; none while it is
    /// [paused](Self::is_paused).
    pub fn next(&self, count: usize) -> Vec<Tick> {
        if self.is_paused() || self.is_failed() {
            return Vec::new();
        }
        // The worker sets such a schedule back.
        let after = if self.ahead().is_some() { self.clock } else { self.progress.dealt.max(self.clock) };
        self.spec.timing.after(after).take(count).map(Tick::from).collect()
    }

    /// How long the oldest tick has been due that no worker has dealt with; `None` if there is none
    /// or the schedule is [paused](Self::is_paused).
    #[cfg(feature = "worker")]
    pub(crate) fn late_by(&self) -> Option<Duration> {
        let due = self.spec.timing.next(self.progress.dealt).filter(|_| !self.is_paused())?;
        let due = due + self.spec.shift();
        (due <= self.clock).then(|| self.clock.since(due))
    }

    /// The last tick that was enqueued.
    pub fn last_run(&self) -> Option<Tick> {
        self.progress.ran.map(Tick::from)
    }

    /// The time up to which ticks were dealt with, either run or left out.
    pub fn dealt_until(&self) -> SystemTime {
        Tick::from(self.progress.dealt).time()
    }

    /// The time until the next tick, if the schedule sleeps longer than that.
    pub(super) fn oversleeps(&self) -> Option<Span> {
        if self.is_paused() || !self.meta.state.is_waiting() {
            return None;
        }
        let sleep = self.spec.sleep(self.progress.dealt, self.now, self.clock)?;
        let late = self.meta.run_at.since(self.now).saturating_sub(sleep.as_duration());
        (late > LATE_MIN).then_some(sleep)
    }

    /// How far the schedule is ahead of the store's clock, if that is too far for a clock that is
    /// right: a clock was ahead. A worker sets it back, within an hour after its next wake-up.
    pub fn ahead(&self) -> Option<Duration> {
        self.spec.is_ahead(self.progress, self.clock).map(Span::as_duration)
    }

    pub(super) fn progress(&self) -> Progress {
        self.progress
    }

    /// The store's time when the status was read.
    pub(super) fn now(&self) -> Timestamp {
        self.now
    }

    /// The reading of the store's clock when the status was read.
    pub(super) fn clock(&self) -> Timestamp {
        self.clock
    }
}
