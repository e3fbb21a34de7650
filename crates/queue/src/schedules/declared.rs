//! Puts and declares schedules.

use super::{Schedule, Schedules};
use crate::Encode;
use queue_core::Result;
use queue_schedule::{ScheduleError, ScheduleSpec};
use std::collections::BTreeSet;

/// The answer to a schedule that was put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Put {
    /// There was no schedule of this name before.
    Created,
    /// There was a different schedule of this name. Ticks that it has dealt with stay dealt with.
    Changed,
    /// The same schedule is there already. Nothing was written.
    Unchanged,
    /// The same schedule is there already, but it slept beyond its next tick, and now sleeps until
    /// then. So it is after new rules of a time zone.
    Rescheduled,
}

/// The answer to the schedules that a program declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Declared {
    /// Schedules that were not there before.
    pub created: Vec<String>,
    /// Schedules that were different before. If two programs declare one name differently, each
    /// changes the schedule at its start, and each finds the name here.
    pub changed: Vec<String>,
    /// Schedules that were there already.
    pub unchanged: Vec<String>,
    /// Schedules that were there already and slept beyond their next tick; see
    /// [`Put::Rescheduled`].
    pub rescheduled: Vec<String>,
    /// Schedules whose last moment has passed, so that there was nothing to write.
    pub over: Vec<String>,
    /// Schedules that are there already in a form that this program cannot read: a newer version of
    /// the library wrote them, or their time zone is not known here. They are left as they are; to
    /// put the declared one in its place, remove it first.
    pub unreadable: Vec<String>,
    /// Schedules for this kind of job that a program declared before and this one does not. They go
    /// on until they are removed.
    pub undeclared: Vec<String>,
}

impl<P, R> Schedules<P, R> {
    /// Puts a schedule in the form that a store keeps, for programs that have its
    /// [job](crate::schedules::Template) already. It is as [`put`](Self::put), but the options of
    /// the handle do not count, and the job may be of any kind.
    ///
    /// # Errors
    /// The errors of [`put`](Self::put), but none about payloads.
    pub async fn put_spec(&self, spec: ScheduleSpec) -> Result<Put> {
        self.write(self.fitting(spec)?).await
    }

    /// The schedule, if the store takes one of its size.
    fn fitting(&self, spec: ScheduleSpec) -> Result<ScheduleSpec> {
        spec.check_size(self.queue.storage().capabilities().limits.payload_bytes_max)?;
        Ok(spec)
    }
}

impl<P: Encode, R> Schedules<P, R> {
    /// Makes a schedule, or changes the schedule of its name into this one. A new schedule begins
    /// with the first tick from now on, by the store's clock. A changed schedule begins where the
    /// old one stops, in the same atomic step, so that no tick is lost or comes twice. A paused
    /// schedule stays paused.
    ///
    /// # Errors
    /// `Invalid`, before anything is written, for an invalid schedule ([`ScheduleError`] is the
    /// source), for options and payloads as in [`Queue::enqueue`](crate::Queue::enqueue), and for a
    /// codec that binds payloads to ids; and the errors of [`pause`](Self::pause). A dropped future
    /// leaves the schedule as it was or as it should be.
    pub async fn put(&self, schedule: &Schedule<P>) -> Result<Put> {
        self.put_spec(schedule.spec(&self.queue, false)?).await
    }

    /// Puts the schedules of a program when it starts, in any number of processes; a schedule that
    /// is there already is not written again, unless it would sleep beyond its next tick. Schedules
    /// that another version of the program
    /// declared and this one does not are reported, but not removed.
    ///
    /// # Errors
    /// The errors of [`put`](Self::put). If one of them is not valid in itself, none is written; if
    /// the store fails, the schedules before are written. A schedule of single moments that have
    /// all passed is no error here, since a program that is started again declares it again.
    pub async fn declare(&self, schedules: impl IntoIterator<Item = Schedule<P>>) -> Result<Declared> {
        let mut declared = Declared::default();
        let spec = |schedule: Schedule<P>| self.fitting(schedule.spec(&self.queue, true)?);
        let specs: Vec<ScheduleSpec> = schedules.into_iter().map(spec).collect::<Result<_>>()?;
        let names: BTreeSet<String> = specs.iter().map(|spec| spec.name.clone()).collect();
        for spec in specs {
            let name = spec.name.clone();
            match self.write(spec).await {
                Ok(Put::Created) => declared.created.push(name),
                Ok(Put::Changed) => declared.changed.push(name),
                Ok(Put::Unchanged) => declared.unchanged.push(name),
                Ok(Put::Rescheduled) => declared.rescheduled.push(name),
                Err(error) => match source_of(&error) {
                    Some(ScheduleError::NeverFires { .. }) => declared.over.push(name),
                    Some(error) if error.is_unreadable() => declared.unreadable.push(name),
                    _ => return Err(error),
                },
            }
        }
        let of_this_kind = self.list().await?.schedules.into_iter().filter(|status| {
            status.spec().declared && status.spec().job.kind() == self.queue.kind().as_str()
        });
        declared.undeclared = of_this_kind
            .map(|status| status.name().to_owned())
            .filter(|name| !names.contains(name))
            .collect();
        Ok(declared)
    }
}

fn source_of(error: &queue_core::Error) -> Option<&ScheduleError> {
    std::error::Error::source(error)?.downcast_ref()
}
