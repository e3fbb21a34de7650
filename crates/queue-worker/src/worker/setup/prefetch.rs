//! How many jobs a worker holds ready, and for how long.

use std::time::Duration;

/// How many jobs a worker holds ready beyond those that run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::worker) enum Prefetch {
    /// About as many as the handlers get through in a short while.
    ByHandlerTime,
    /// As many as there are, up to this number, however long they wait.
    Fixed(usize),
}

/// Most jobs held ready, however quick the handlers are.
pub(in crate::worker) const READY_MAX: usize = 4000;

/// The longest that a job is held ready before it is given back, where the worker chooses how many
/// to hold.
const PATIENCE_MAX: Duration = Duration::from_secs(1);
/// The patience as a share of the lease, so that a job that starts has nearly all of the lease.
const PATIENCES_PER_LEASE: u32 = 10;
/// The worker holds as many jobs as handlers get through in this share of the patience, so the
/// estimate may be wrong by as much.
const HORIZONS_PER_PATIENCE: u32 = 10;

impl Prefetch {
    /// For how long a job may be held ready; `None` if that does not matter.
    pub(in crate::worker) fn patience(self, lease: Duration) -> Option<Duration> {
        (self == Self::ByHandlerTime).then(|| patience(lease))
    }
}

/// The jobs held ready are those that handlers get through in this time.
pub(in crate::worker) fn horizon(lease: Duration) -> Duration {
    patience(lease) / HORIZONS_PER_PATIENCE
}

fn patience(lease: Duration) -> Duration {
    PATIENCE_MAX.min(lease / PATIENCES_PER_LEASE)
}
