//! A schedule as a program makes it.

use crate::{Encode, InvalidOption, JobOptions, Queue};
use queue_core::{Error, JobId, NewJob, OnWaiting, Result, Span, Timestamp};
use queue_schedule::{Missed, Overlap, ScheduleError, ScheduleSpec, Template, Timing};
use queue_serde::{CodecContext, Decode, Role};
use serde::de::IgnoredAny;
use std::time::Duration;

const OF_A_SCHEDULE: &str = "a job of a schedule cannot be debounced, since each tick has an id of its own; \
                             if the handle debounces, give the schedule a `delay`";

const TIME_OF_DAY: &str = "each job has its time from its tick; give `delay` for a while after it";

/// A schedule as a program makes it: a name, when it fires, and the job that it enqueues.
///
/// Its bounds are checked when it is [put](crate::schedules::Schedules::put) or declared, before
/// anything is written.
#[derive(Clone, Debug)]
#[must_use]
pub struct Schedule<P> {
    name: String,
    timing: Timing,
    payload: P,
    options: JobOptions,
    missed: Missed,
    overlap: Overlap,
    jitter: Duration,
    spread: Duration,
}

impl<P> Schedule<P> {
    /// A schedule that skips missed ticks, lets jobs overlap, and enqueues at the tick. The name
    /// has 1 to 200 bytes without control characters and without `@`; the id of a job is the name,
    /// `@` and its moment in UTC. The payload is stored as a part of the schedule, which as a whole
    /// may be as large as a payload of the store: text counts as the JSON string that it becomes,
    /// each byte of another payload up to 4 times, so of 1 MiB there is room for 260 kB. In the
    /// payload `Tick::HERE` is replaced by the [`Tick`](crate::schedules::Tick) of the job.
    pub fn new(name: impl Into<String>, timing: Timing, payload: P) -> Self {
        Self {
            name: name.into(),
            timing,
            payload,
            options: JobOptions::new(),
            missed: Missed::default(),
            overlap: Overlap::default(),
            jitter: Duration::ZERO,
            spread: Duration::ZERO,
        }
    }

    /// Sets the options of the jobs, which take precedence over the options of the handle. A delay
    /// is added to the tick. A schedule keeps every option of a job. Those without a meaning for
    /// the job of a tick are refused by name: a time of day, since the tick is the time, and a
    /// debounce and the replacement of a failed job, since no other job has the id of a tick.
    pub fn options(mut self, options: JobOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the policy for ticks that passed while no worker could run them. By default they are
    /// skipped, except those that are late by at most half the time to the next tick, or by at most
    /// 10 s if that is longer, and never by more than an hour.
    pub fn missed(mut self, missed: Missed) -> Self {
        self.missed = missed;
        self
    }

    /// Sets the policy for a tick while the job of the previous tick has not ended. By default both
    /// run.
    pub fn overlap(mut self, overlap: Overlap) -> Self {
        self.overlap = overlap;
        self
    }

    /// Sets the most that a job may be due after its tick. The actual time is computed from the
    /// name and the tick, so it is the same in every process. At most the time between two ticks.
    pub fn jitter(mut self, jitter: Duration) -> Self {
        self.jitter = jitter;
        self
    }

    /// Sets the most by which the whole schedule is shifted after its ticks. The actual shift is
    /// computed from its name, so that ten thousand schedules for midnight do not all wake at once.
    /// The ids contain the ticks without the shift. At most the time between two ticks.
    pub fn spread(mut self, spread: Duration) -> Self {
        self.spread = spread;
        self
    }
}

impl<P: Encode> Schedule<P> {
    /// The form of the schedule that a store keeps, with no tick dealt with yet.
    pub(super) fn spec<R>(&self, queue: &Queue<P, R>, declared: bool) -> Result<ScheduleSpec> {
        let template = self.template(queue)?;
        let mut spec = ScheduleSpec::new(&self.name, self.timing.clone(), template, Timestamp::default());
        (spec.missed, spec.overlap, spec.declared) = (self.missed, self.overlap, declared);
        spec.jitter = Span::new("jitter", self.jitter)?;
        spec.spread = Span::new("spread", self.spread)?;
        Ok(spec)
    }

    fn template<R>(&self, queue: &Queue<P, R>) -> Result<Template> {
        if self.options.time_of_day().is_some() {
            return Err(ScheduleError::Option { option: "run_at", why: TIME_OF_DAY }.into());
        }
        let options = self.options.checked_over(&queue.shared.options)?;
        let made = |id| queue.untraced_job_of(JobId::from_static(id), &self.payload, &options);
        let (job, other) = (made("tick")?, made("another tick")?);
        if job.on_waiting != OnWaiting::Block {
            return Err(InvalidOption::Debounce(OF_A_SCHEDULE).into());
        }
        if job.payload != other.payload && !is_readable_as(queue, &job, &other.id) {
            let message =
                "this codec binds a payload to the id of its job, and each tick has an id of its own";
            return Err(Error::invalid("schedule", message));
        }
        Ok(Template::of(&job)?)
    }
}

fn is_readable_as<P, R>(queue: &Queue<P, R>, job: &NewJob, id: &JobId) -> bool {
    let context = CodecContext::new(queue.name(), &job.kind, id, Role::Payload);
    IgnoredAny::decode(&job.payload, queue.codec(), &context).is_ok()
}
