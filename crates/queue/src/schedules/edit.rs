//! Writes a schedule in place of an older one.

use super::{Put, ScheduleStatus, Schedules, is_schedule, job_of};
use queue_core::{
    Applied, Detail, Error, ErrorKind, LIVES_MAX, NewJob, Result, Span, Stamped, State, StorageExt,
    Timestamp,
    lifecycle::{Event, OnProcessing, Policy, decide},
};
use queue_schedule::{CATCH_UP_MAX, CallRoom, Firing, FiringContext, Progress, ScheduleError, ScheduleSpec};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long an edit waits for a schedule that a worker holds: longer than the lease of a worker
/// that died.
const PATIENCE: Duration = Duration::from_secs(90);
/// Between two looks.
const LOOK: Duration = Duration::from_millis(50);
/// The most calls for the ticks that an old schedule owes: each enqueues at least one of them.
const PARTS_MAX: usize = CATCH_UP_MAX;

/// What a try to write a schedule came to.
enum Tried {
    Put(Put),
    /// The old schedule owes more ticks than one call takes. A part of them is enqueued.
    Part,
    /// Another program changed the old schedule meanwhile.
    Stale,
    /// A worker holds the old schedule.
    Held,
}

impl<P, R> Schedules<P, R> {
    pub(super) async fn write(&self, spec: ScheduleSpec) -> Result<Put> {
        let id = ScheduleSpec::id_of(&spec.name)?;
        let mut patience = Patience::new();
        for _ in 0..PARTS_MAX {
            let Stamped { now, clock, value } = self.read(std::slice::from_ref(&id)).await?;
            let present = value.into_iter().flatten().next();
            // A terminal record is a schedule that is over, which is then made again.
            let tried = match present.filter(|record| !record.meta.state.is_terminal()) {
                None => {
                    let spec = spec.clone().beginning_at(Progress::new(clock, None));
                    self.create(&spec, now, clock).await?
                }
                Some(record) if !is_schedule(&record) => return Err(taken(&spec.name)),
                Some(record) => self.edit(ScheduleStatus::of(record, now, clock)?, &spec).await?,
            };
            match tried {
                Tried::Put(put) => return Ok(put),
                Tried::Part => patience = Patience::new(),
                Tried::Stale => patience.next_try(&spec.name).await?,
                Tried::Held => patience.wait(&spec.name).await?,
            }
        }
        Err(busy(&spec.name))
    }

    /// Makes the schedule, unless another process was quicker.
    async fn create(&self, spec: &ScheduleSpec, now: Timestamp, clock: Timestamp) -> Result<Tried> {
        let job = job_of(spec, self.checked_sleep(spec, now, clock)?)?;
        let stored = self.queue.storage().enqueue(self.queue.name(), vec![vec![job]]).await?;
        let is_new = stored.value.iter().flatten().any(queue_core::Enqueued::is_new);
        Ok(if is_new { Tried::Put(Put::Created) } else { Tried::Stale })
    }

    /// Replaces the old schedule by the new one under its revision, and enqueues the ticks that the
    /// old one owes up to now in the same step, so that the new one begins where it ends. If they
    /// are more than one call takes, the old schedule takes its own place, so much further on.
    async fn edit(&self, present: ScheduleStatus, spec: &ScheduleSpec) -> Result<Tried> {
        if spec.says_the_same(present.spec()) {
            return self.wake_in_time(&present).await;
        }
        if present.meta().state == State::Processing {
            return Ok(Tried::Held);
        }
        let firing = self.fire(&present, spec).await?;
        let new = spec.clone().beginning_at(firing.progress);
        let sleep = self.checked_sleep(&new, present.now(), present.clock())?;
        let successor = match (present.is_paused(), firing.more) {
            (true, _) => job_of(&new, Span::MAX)?,
            (false, false) => job_of(&new, sleep)?,
            (false, true) => job_of(&present.spec().clone().beginning_at(firing.progress), Span::ZERO)?,
        };
        if !self.replace(&present, &firing, successor).await? {
            return Ok(Tried::Stale);
        }
        firing.log(&present.meta().id);
        Ok(if firing.more { Tried::Part } else { Tried::Put(Put::Changed) })
    }

    /// Moves a schedule that sleeps beyond its next tick to that tick. So it is after new rules of
    /// a time zone, since the schedule went to sleep by the old ones.
    async fn wake_in_time(&self, present: &ScheduleStatus) -> Result<Tried> {
        let Some(delay) = present.oversleeps() else { return Ok(Tried::Put(Put::Unchanged)) };
        let event = Event::Reschedule { delay };
        let Ok(transition) = decide(present.meta(), event, &Policy::default()) else {
            return Ok(Tried::Held);
        };
        let applied = self.queue.storage().apply(vec![transition]).await?.value;
        let is_done = applied.iter().any(Applied::is_done);
        Ok(if is_done { Tried::Put(Put::Rescheduled) } else { Tried::Stale })
    }

    /// What the old schedule does now, as it would if a worker woke it.
    async fn fire(&self, present: &ScheduleStatus, new: &ScheduleSpec) -> Result<Firing> {
        let (old, progress) = (present.spec(), Some(present.progress()));
        if present.is_paused() {
            return Ok(Firing::none(present.progress()));
        }
        let previous = match old.previous(progress)? {
            Some(id) => self.queue.storage().get_one(self.queue.name(), &id, Detail::Meta).await?,
            None => None,
        };
        let previous = previous.map(|record| record.meta.state);
        // Beside the ticks, the call removes one job and stores one schedule, the old or the new.
        let bytes = old.to_bytes().len().max(new.to_bytes().len());
        let room = CallRoom::beside(&self.queue.storage().capabilities().limits, 2, bytes);
        let (now, clock) = (present.now(), present.clock());
        Ok(old.fire(&FiringContext { progress, previous, now, clock, room })?)
    }

    /// Removes the old job and enqueues the jobs of its ticks and its successor, in one transition
    /// under the revision of the old one; false if that is another by now.
    async fn replace(&self, present: &ScheduleStatus, firing: &Firing, successor: NewJob) -> Result<bool> {
        let storage = self.queue.storage();
        let Ok(mut transition) = decide(present.meta(), Event::Delete, &Policy::default()) else {
            return Ok(false);
        };
        if let Some(previous) = &firing.cancel {
            let cancel = Event::Cancel { processing: OnProcessing::Request };
            storage.change(self.queue.name(), previous, cancel, &Policy::default()).await?;
        }
        transition.then.clone_from(&firing.jobs);
        #[cfg(feature = "worker")]
        queue_worker::trace_ticks(present.meta(), &mut transition.then);
        transition.then.push(successor);
        let applied = storage.apply(vec![transition]).await?.value;
        Ok(applied.iter().any(Applied::is_done))
    }

    /// How long a schedule that can work sleeps first. A schedule is refused here, before anything
    /// is written, if the store would refuse the jobs of its ticks.
    fn checked_sleep(&self, spec: &ScheduleSpec, now: Timestamp, clock: Timestamp) -> Result<Span> {
        spec.check()?;
        let sleep = spec.sleep(spec.since, now, clock).ok_or_else(|| never(spec))?;
        self.queue.storage().capabilities().limits.check_enqueue(&[vec![spec.largest_job()?]])?;
        Ok(sleep)
    }
}

/// The wait for a schedule that a worker holds, or that other programs keep changing.
pub(super) struct Patience {
    until: Instant,
    stale: usize,
}

impl Patience {
    pub(super) fn new() -> Self {
        Self { until: Instant::now() + PATIENCE, stale: 0 }
    }

    /// Returns at once unless many tries in a row were stale: a try that is overtaken takes no
    /// longer than the change that overtook it.
    async fn next_try(&mut self, name: &str) -> Result<()> {
        self.stale += 1;
        if self.stale < LIVES_MAX {
            return Ok(());
        }
        self.stale = 0;
        self.wait(name).await
    }

    pub(super) async fn wait(&mut self, name: &str) -> Result<()> {
        if Instant::now() >= self.until {
            let message =
                format!("a worker holds the schedule {name:?}, or programs keep changing it; try again");
            return Err(Error::new(ErrorKind::Conflict, "schedule", message));
        }
        sleep(LOOK).await;
        Ok(())
    }
}

fn busy(name: &str) -> Error {
    let message = format!("ticks of the schedule {name:?} come faster than they are enqueued; try again");
    Error::new(ErrorKind::Conflict, "schedule", message)
}

fn never(spec: &ScheduleSpec) -> Error {
    ScheduleError::NeverFires { timing: spec.timing.to_string() }.into()
}

fn taken(name: &str) -> Error {
    let message = format!("the id of the schedule {name:?} is taken by a job of another kind");
    Error::invalid("schedule", message)
}
