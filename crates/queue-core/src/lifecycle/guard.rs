use crate::{JobMeta, LeaseToken, State, lifecycle::Settle};

/// What must still hold for a transition to be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The state the job was seen in. The proof implies it; it tells a store where to look.
    pub state: State,
    /// Why the sender may change the job.
    pub proof: Proof,
    /// What the lease must be, on the store's clock.
    pub lapse: Lapse,
}

/// The lease holder proves ownership, everybody else proves freshness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The job is leased under this token, and no claim came after.
    Lease {
        /// The token of the sender's own claim.
        token: LeaseToken,
        /// The claim that it was: a token that came to be used twice settles no lease of another
        /// claim.
        epoch: u64,
        /// The flags that the decision rests on; `None` if it rests on none.
        flags: Option<Flags>,
        /// Which event this settles the lease with; `None` for a heartbeat.
        settle: Option<Settle>,
    },
    /// The record is still at this revision.
    Revision(u64),
}

impl Proof {
    /// A heartbeat: sent twice, it is accepted twice.
    pub const fn is_repeatable(&self) -> bool {
        matches!(self, Self::Lease { settle: None, .. })
    }
}

/// The marks that others may set on a job while it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags {
    /// Somebody asked to cancel it.
    pub cancel_requested: bool,
    /// Somebody waits for it.
    pub awaited: bool,
}

/// A predicate on the lease, evaluated by the store on its own clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lapse {
    /// The clock does not matter.
    Any,
    /// `expires_at <= now`.
    Lapsed,
    /// `expires_at > now`.
    Live,
}

impl Flags {
    /// The flags of a job as it was seen.
    pub fn of(job: &JobMeta) -> Self {
        Self { cancel_requested: job.cancel_requested, awaited: job.awaited }
    }
}
