//! The changes that a key makes, each after a question.

use super::{source::Source, subject::Subject};
use crate::{
    exit::{CliError, Exit},
    session::Jobs,
};
use queue::{
    Change, JobId, OnProcessing, WorkerId,
    queue_core::{Duty, Pause, QueueName},
};

/// A key that changes something; all of them are capital letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeedKey {
    Pause,
    Unpause,
    Redrive,
    Now,
    Cancel,
    Drain,
}

/// A change of one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    Pause(QueueName),
    Unpause(QueueName),
    Redrive(QueueName, JobId),
    Promote(QueueName, JobId),
    Cancel(QueueName, JobId),
    RunSchedule(QueueName, String),
    Drain(WorkerId),
}

impl DeedKey {
    pub(super) fn of(key: char) -> Option<Self> {
        Some(match key {
            'P' => Self::Pause,
            'U' => Self::Unpause,
            'R' => Self::Redrive,
            'N' => Self::Now,
            'C' => Self::Cancel,
            'D' => Self::Drain,
            _ => return None,
        })
    }

    /// What it does to a subject; `None` if nothing.
    pub(super) fn on(self, subject: &Subject) -> Option<Deed> {
        Some(match (self, subject.clone()) {
            (Self::Pause, Subject::Queue(queue)) => Deed::Pause(queue),
            (Self::Unpause, Subject::Queue(queue)) => Deed::Unpause(queue),
            (Self::Redrive, Subject::Job(queue, id)) => Deed::Redrive(queue, id),
            (Self::Now, Subject::Job(queue, id)) => Deed::Promote(queue, id),
            (Self::Cancel, Subject::Job(queue, id)) => Deed::Cancel(queue, id),
            (Self::Now, Subject::Schedule(queue, name)) => Deed::RunSchedule(queue, name),
            (Self::Drain, Subject::Worker(id)) => Deed::Drain(id),
            _ => return None,
        })
    }

    /// What the key needs, as a hint for a user who pressed it where it does nothing.
    pub(super) const fn needs(self) -> &'static str {
        match self {
            Self::Pause | Self::Unpause => "P and U pause and resume a queue: choose one first",
            Self::Redrive | Self::Cancel => "R redrives and C cancels a job: choose one first",
            Self::Now => "N runs a job or a schedule now: choose one first",
            Self::Drain => "D drains a worker: choose one first",
        }
    }
}

impl Deed {
    pub(super) fn question(&self) -> String {
        match self {
            Self::Pause(queue) => format!("Pause the queue {queue:?}, so that no worker gets its jobs?"),
            Self::Unpause(queue) => format!("Resume the queue {queue:?}?"),
            Self::Redrive(queue, id) => format!("Run the job {id:?} of {queue:?} again?"),
            Self::Promote(queue, id) => format!("Make the job {id:?} of {queue:?} due now?"),
            Self::Cancel(queue, id) => format!("Cancel the job {id:?} of {queue:?}, also if it runs?"),
            Self::RunSchedule(queue, name) => format!("Run the schedule {name:?} of {queue:?} now?"),
            Self::Drain(id) => format!("Drain the worker {id:?}, so that it ends?"),
        }
    }

    const fn queue(&self) -> Option<&QueueName> {
        match self {
            Self::Pause(queue)
            | Self::Unpause(queue)
            | Self::Redrive(queue, _)
            | Self::Promote(queue, _)
            | Self::Cancel(queue, _)
            | Self::RunSchedule(queue, _) => Some(queue),
            Self::Drain(_) => None,
        }
    }

    /// Does it, and says what came of it.
    pub(super) async fn carry_out(&self, source: &Source) -> Result<String, CliError> {
        if self.queue().is_some_and(QueueName::is_reserved) {
            return Err(CliError::invalid("this queue belongs to the library and is not changed by hand"));
        }
        if let Self::Drain(id) = self {
            let asked = source.storage().await?.set_duty(id, Duty::Drain).await?;
            let gone = || CliError::new(Exit::NotFound, format!("the worker {id:?} is not present any more"));
            return asked
                .map(|_| format!("asked {id:?} to drain; it hears of it within ten seconds"))
                .ok_or_else(gone);
        }
        let Some(queue) = self.queue() else { return Err(CliError::invalid("nothing was chosen")) };
        self.on_queue(&source.jobs(queue).await?).await
    }

    async fn on_queue(&self, jobs: &Jobs) -> Result<String, CliError> {
        match self {
            Self::Pause(queue) => {
                jobs.set_pause(Pause::UntilResumed).await?;
                Ok(format!("paused {queue:?}"))
            }
            Self::Unpause(queue) => {
                jobs.set_pause(Pause::Off).await?;
                Ok(format!("resumed {queue:?}"))
            }
            Self::RunSchedule(_, name) => {
                let ran = jobs.schedules().run_now(name).await?;
                let gone =
                    || CliError::new(Exit::NotFound, format!("there is no schedule {name:?} any more"));
                ran.map(|id| format!("enqueued {id:?}")).ok_or_else(gone)
            }
            Self::Redrive(_, id) => told(id, jobs.redrive(id).await?, "is queued again"),
            Self::Promote(_, id) => told(id, jobs.promote(id).await?, "is due now"),
            Self::Cancel(_, id) => {
                let change = jobs.cancel_with(id, OnProcessing::Request).await?;
                told(id, change, "is cancelled")
            }
            Self::Drain(_) => Err(CliError::invalid("a worker is of no queue")),
        }
    }
}

fn told(id: &JobId, change: Change, done: &str) -> Result<String, CliError> {
    let refused = |words: String| Err(CliError::new(Exit::Negative, words));
    match change {
        Change::Done => Ok(format!("{id:?} {done}")),
        Change::Requested => Ok(format!("asked the worker of {id:?} to stop it")),
        Change::NotAllowed(state) => refused(format!("the job {id:?} is {state}, which does not allow this")),
        Change::Missing => refused(format!("there is no job {id:?} any more")),
        other => Err(CliError::unforeseen(other)),
    }
}
