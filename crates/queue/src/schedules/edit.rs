//! Writes a schedule in place of an older one.

use super::{Put, ScheduleStatus, Schedules, is_schedule, job_of};
use queue_core::{
    Applied, Error, ErrorKind, NewJob, Result, Span, Stamped, State, Timestamp,
    lifecycle::{Event, Policy, decide},
};
use queue_schedule::{Overlap, Progress, ScheduleError, ScheduleSpec};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long an edit waits for a schedule that a worker holds: longer than the lease of a worker
/// that died.
const PATIENCE: Duration = Duration::from_secs(90);
/// Between two looks.
const LOOK: Duration = Duration::from_millis(50);

impl<P, R> Schedules<P, R> {
    pub(super) async fn write(&self, spec: ScheduleSpec) -> Result<Put> {
        let id = ScheduleSpec::id_of(&spec.name)?;
        let mut patience = Patience::new();
        loop {
            let Stamped { now, clock, value } = self.read(std::slice::from_ref(&id)).await?;
            let present = value.into_iter().flatten().next();
            // A terminal record is a schedule that is over, which is then made anew.
            let put = match present.filter(|record| !record.meta.state.is_terminal()) {
                None => {
                    let spec = spec.clone().beginning_at(Progress { dealt: clock, ran: None });
                    self.create(&spec, clock).await?
                }
                Some(record) if !is_schedule(&record) => return Err(taken(&spec.name)),
                Some(record) => self.edit(ScheduleStatus::of(record, now, clock)?, &spec).await?,
            };
            match put {
                Some(put) => return Ok(put),
                None => patience.wait(&spec.name).await?,
            }
        }
    }

    /// Makes the schedule; `None` if another process was quicker.
    async fn create(&self, spec: &ScheduleSpec, clock: Timestamp) -> Result<Option<Put>> {
        spec.check()?;
        let wait = spec.wait(spec.since, clock).ok_or_else(|| never(spec))?;
        let job = job_of(spec, wait)?;
        let stored = self.queue.storage().enqueue(self.queue.name(), vec![vec![job]]).await?;
        Ok(stored.value.iter().flatten().any(queue_core::Enqueued::is_new).then_some(Put::Created))
    }

    /// Replaces the old schedule by the new one under its revision, and enqueues its ticks up to
    /// now in the same step, so that the new one begins where it ends. `None` if the old schedule
    /// changed meanwhile or is held.
    async fn edit(&self, present: ScheduleStatus, spec: &ScheduleSpec) -> Result<Option<Put>> {
        if spec.says_the_same(present.spec()) {
            return Ok(Some(Put::Unchanged));
        }
        if present.meta().state == State::Processing {
            return Ok(None);
        }
        let (mut then, at) =
            if present.is_paused() { (Vec::new(), present.progress()) } else { last_ticks(&present)? };
        let spec = spec.clone().beginning_at(at);
        spec.check()?;
        let wait = spec.wait(spec.since, present.clock()).ok_or_else(|| never(&spec))?;
        then.push(job_of(&spec, if present.is_paused() { Span::MAX } else { wait })?);
        // The old job is removed and the new one enqueued in one transition, under the revision of
        // the old one.
        let Ok(mut transition) = decide(present.meta(), Event::Delete, &Policy::default()) else {
            return Ok(None);
        };
        transition.then = then;
        let applied = self.queue.storage().apply(vec![transition]).await?.value;
        Ok(applied.iter().any(Applied::is_done).then_some(Put::Changed))
    }
}

/// The jobs that the old schedule would enqueue now. If ticks must not overlap, it is only the
/// newest one.
fn last_ticks(present: &ScheduleStatus) -> Result<(Vec<NewJob>, Progress)> {
    let mut due = present.spec().due(Some(present.progress()), present.clock());
    if present.spec().overlap != Overlap::Allow {
        due.run.drain(..due.run.len().saturating_sub(1));
    }
    let jobs: std::result::Result<_, ScheduleError> =
        due.run.iter().map(|tick| present.spec().tick_job(*tick)).collect();
    Ok((jobs?, due.progress))
}

/// The wait for a schedule that a worker holds.
pub(super) struct Patience(Instant);

impl Patience {
    pub(super) fn new() -> Self {
        Self(Instant::now() + PATIENCE)
    }

    pub(super) async fn wait(&mut self, name: &str) -> Result<()> {
        if Instant::now() >= self.0 {
            let message = format!("a worker holds the schedule {name:?}; try again");
            return Err(Error::new(ErrorKind::Conflict, "schedule", message));
        }
        sleep(LOOK).await;
        Ok(())
    }
}

fn never(spec: &ScheduleSpec) -> Error {
    ScheduleError::NeverFires { timing: spec.timing.to_string() }.into()
}

fn taken(name: &str) -> Error {
    let message = format!("the id of the schedule {name:?} is taken by a job of another kind");
    Error::invalid("schedule", message)
}
