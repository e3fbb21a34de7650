use super::{Schedule, Schedules};
use crate::Encode;
use queue_core::Result;
use queue_schedule::ScheduleError;
use std::collections::BTreeSet;

/// What became of a schedule that was put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Put {
    /// There was none of the name.
    Created,
    /// There was one that said something else. What it had dealt with stays dealt with.
    Changed,
    /// It is there as it is. Nothing was written.
    Unchanged,
}

/// What became of the schedules that a program declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Declared {
    /// Those that were not there before.
    pub created: Vec<String>,
    /// Those that said something else before. If two programs declare one name differently, each
    /// changes it at its start, and each is told here.
    pub changed: Vec<String>,
    /// Those that were there already.
    pub unchanged: Vec<String>,
    /// Those whose last moment has passed, so that there was nothing to write.
    pub over: Vec<String>,
    /// Those of this kind of job that a program declared before and this one does not. They go on
    /// until somebody removes them.
    pub undeclared: Vec<String>,
}

impl<P: Encode, R> Schedules<P, R> {
    /// Makes a schedule, or makes the one of its name say this. It begins with the first tick from
    /// now on, by the store's clock; one that is edited begins where the other one stops, in the
    /// same atomic step, so that no tick is lost or comes twice. A paused one stays paused.
    ///
    /// # Errors
    /// `Invalid`, before anything is written, for a schedule that cannot be ([`ScheduleError`] is
    /// the source), for options and payloads as [`Queue::enqueue`](crate::Queue::enqueue), and for
    /// a codec that binds payloads to ids. As [`pause`](Self::pause) besides. A dropped future
    /// leaves the schedule as it was or as it should be.
    pub async fn put(&self, schedule: &Schedule<P>) -> Result<Put> {
        self.write(schedule.spec(&self.queue, false)?).await
    }

    /// The schedules of a program, at its start, in any number of processes: what says the same is
    /// not written again. What another version of the program declared and this one does not is
    /// reported, not removed.
    ///
    /// # Errors
    /// As [`put`](Self::put); schedules before the one that failed are written. A schedule of
    /// single moments that have all passed is no error here, since a program that is started again
    /// declares it again.
    pub async fn declare(&self, schedules: impl IntoIterator<Item = Schedule<P>>) -> Result<Declared> {
        let mut declared = Declared::default();
        let mut names = BTreeSet::new();
        for schedule in schedules {
            let spec = schedule.spec(&self.queue, true)?;
            let name = spec.name.clone();
            names.insert(name.clone());
            match self.write(spec).await {
                Ok(Put::Created) => declared.created.push(name),
                Ok(Put::Changed) => declared.changed.push(name),
                Ok(Put::Unchanged) => declared.unchanged.push(name),
                Err(error) if is_over(&error) => declared.over.push(name),
                Err(error) => return Err(error),
            }
        }
        let of_this_kind = self.list().await?.into_iter().filter(|status| {
            status.spec().declared && status.spec().job.kind() == self.queue.kind().as_str()
        });
        declared.undeclared = of_this_kind
            .map(|status| status.name().to_owned())
            .filter(|name| !names.contains(name))
            .collect();
        Ok(declared)
    }
}

fn is_over(error: &queue_core::Error) -> bool {
    let source = std::error::Error::source(error);
    let named = source.and_then(|source| source.downcast_ref::<ScheduleError>());
    matches!(named, Some(ScheduleError::NeverFires { .. }))
}
