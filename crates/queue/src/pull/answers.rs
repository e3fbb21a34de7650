use queue_core::Changed;

/// What became of a settle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Settled {
    /// It is done, now or by the same call before.
    Done,
    /// The lease lapsed and the job was given to somebody else, or this delivery was settled
    /// otherwise before. Nothing was changed.
    LeaseLost,
    /// The job is gone. After a call of unknown outcome that means done, for a job that is not
    /// kept.
    Missing,
}

/// What became of an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Extended {
    /// The lease lapses that long after the call, later than before or sooner.
    Done,
    /// The same, but somebody asked to cancel the job: any outcome but completion becomes
    /// Cancelled.
    CancelRequested,
    /// The lease lapsed, and the job is or will be somebody else's: stop.
    LeaseLost,
    /// The job is gone: stop.
    Missing,
}

impl Settled {
    pub(crate) fn of(changed: &Changed) -> Self {
        match changed {
            Changed::Done(_) => Self::Done,
            Changed::LeaseLost(_) | Changed::Rejected(_) => Self::LeaseLost,
            Changed::Missing => Self::Missing,
        }
    }
}

impl Extended {
    pub(super) fn of(changed: &Changed) -> Self {
        match changed {
            Changed::Done(meta) if meta.cancel_requested => Self::CancelRequested,
            Changed::Done(_) => Self::Done,
            Changed::LeaseLost(_) | Changed::Rejected(_) => Self::LeaseLost,
            Changed::Missing => Self::Missing,
        }
    }
}
