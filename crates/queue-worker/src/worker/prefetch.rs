use std::time::Duration;

/// How many jobs a worker holds ready beyond those that run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prefetch {
    /// About as many as the handlers get through in a short while.
    ByHandlerTime,
    /// As many as there are, up to this, however long they wait.
    Fixed(usize),
}

/// Most jobs held ready, however quick the handlers are.
pub(crate) const READY_MAX: usize = 4000;

/// The longest that a job is held ready before it is given back, where the worker chooses by itself.
const PATIENCE_MAX: Duration = Duration::from_secs(1);
/// As a share of the lease, so that a job that starts has nearly all of it.
const PATIENCES_PER_LEASE: u32 = 10;
/// The line is as long as handlers get through in this share of the patience, so an estimate may be wrong by as much.
const HORIZONS_PER_PATIENCE: u32 = 10;

impl Prefetch {
    /// For how long a job may be held ready; `None` if it does not matter.
    pub(crate) fn patience(self, lease: Duration) -> Option<Duration> {
        (self == Self::ByHandlerTime).then(|| patience(lease))
    }
}

/// The time whose worth of jobs is held ready.
pub(crate) fn horizon(lease: Duration) -> Duration {
    patience(lease) / HORIZONS_PER_PATIENCE
}

fn patience(lease: Duration) -> Duration {
    PATIENCE_MAX.min(lease / PATIENCES_PER_LEASE)
}
