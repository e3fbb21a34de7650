use queue_core::{Changed, Error, ErrorKind, Result, State, lifecycle::Rejected};

/// What became of a request to change a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Change {
    /// It is done.
    Done,
    /// It makes no sense in this state; nothing was changed.
    NotAllowed(State),
    /// There is no such job.
    Missing,
}

/// What became of a request to cancel a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Cancel {
    /// It is Cancelled, now or by an earlier request: it never starts again and never becomes Completed.
    Cancelled,
    /// It runs, and was left alone.
    Processing,
    /// It runs, and its holder will be told; it may complete all the same.
    Requested,
    /// It was done before.
    Completed,
    /// It was given up before.
    Failed,
    /// There is no such job.
    Missing,
}

impl Change {
    pub(crate) fn of(changed: &Changed) -> Result<Self> {
        match changed {
            Changed::Done(_) => Ok(Self::Done),
            Changed::Rejected(rejected) => Ok(Self::NotAllowed(rejected.state())),
            Changed::Missing => Ok(Self::Missing),
            Changed::LeaseLost(_) => Err(lease_without_token()),
        }
    }
}

impl Cancel {
    pub(crate) fn of(changed: &Changed) -> Result<Self> {
        match changed {
            // A job that was not running is Cancelled, or gone where it is not to be kept.
            Changed::Done(meta) if meta.state == State::Processing => Ok(Self::Requested),
            Changed::Done(_) => Ok(Self::Cancelled),
            Changed::Rejected(Rejected::Already(State::Processing)) => Ok(Self::Requested),
            Changed::Rejected(rejected) => Ok(match rejected.state() {
                State::Completed => Self::Completed,
                State::Failed => Self::Failed,
                State::Cancelled => Self::Cancelled,
                State::Queued | State::Processing | State::Failing => Self::Processing,
            }),
            Changed::Missing => Ok(Self::Missing),
            Changed::LeaseLost(_) => Err(lease_without_token()),
        }
    }
}

fn lease_without_token() -> Error {
    Error::new(ErrorKind::Internal, "change", "the store lost a lease that was not held")
}
