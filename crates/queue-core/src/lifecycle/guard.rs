//! The condition under which a store applies a transition.

use crate::{JobMeta, LeaseToken, State, lifecycle::Settle};

/// The condition that must still hold for a transition to be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The state of the job when it was read. The proof implies it; a store uses it to know where
    /// to look.
    pub state: State,
    /// Why the sender may change the job.
    pub proof: Proof,
    /// Whether the lease must have lapsed, by store time.
    pub lapse: Lapse,
}

/// The holder of the lease proves that it holds it; any other caller proves that the record has not
/// changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The job is leased under this token, and no claim came after.
    Lease {
        /// The token of the sender's own claim.
        token: LeaseToken,
        /// The number of the sender's own claim: a token that was used twice by accident settles no
        /// lease of another claim.
        epoch: u64,
        /// The flags that the decision depends on; `None` if it depends on none.
        flags: Option<Flags>,
        /// Which event this settles the lease with; `None` for a heartbeat.
        settle: Option<Settle>,
    },
    /// The record is still at this revision.
    Revision(u64),
}

impl Proof {
    /// Whether the transition is a heartbeat, which is accepted twice if it is sent twice.
    pub const fn is_repeatable(&self) -> bool {
        matches!(self, Self::Lease { settle: None, .. })
    }
}

/// The marks that others may set on a job while it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags {
    /// A cancel was requested.
    pub cancel_requested: bool,
    /// A caller waits for the outcome.
    pub awaited: bool,
}

/// A condition on the lease, which the store evaluates by its own time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lapse {
    /// The time does not matter.
    Any,
    /// `expires_at <= now`.
    Lapsed,
    /// `expires_at > now`.
    Live,
}

impl Flags {
    /// The flags of a job as it was read.
    pub fn of(job: &JobMeta) -> Self {
        Self { cancel_requested: job.cancel_requested, awaited: job.awaited }
    }
}
