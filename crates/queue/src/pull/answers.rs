//! The answers to settles and extensions in pull mode.

use queue_core::Changed;

/// The answer to a settle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Settled {
    /// The settle is done, now or by the same call before.
    Done,
    /// The lease lapsed and another consumer has the job, or this delivery was settled in another
    /// way before. Nothing was changed.
    LeaseLost,
    /// There is no such job. After a call of unknown outcome this means done, for a job that is not
    /// kept.
    Missing,
}

/// The answer to an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Extended {
    /// The lease now lapses that long after the call, which may be later than before or sooner.
    Done,
    /// The same, but a cancel of the job was requested: any outcome except completion becomes
    /// Cancelled.
    CancelRequested,
    /// The lease lapsed, and another consumer has the job or will get it: stop.
    LeaseLost,
    /// There is no such job: stop.
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
