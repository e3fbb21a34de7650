//! Collects and checks the settings of a limit.

use super::{Permits, limiter::Limiter};
use queue_core::{Error, Result, Rng, Storage, SystemRng, WorkerId};
use std::{sync::Arc, time::Duration};

/// The start of every queue name of a limit.
pub(super) const QUEUE_PREFIX: &str = "permits:";
/// Most starts in a period. Each is a job, and all are made when the first permit is acquired.
const STARTS_MAX: u32 = 100_000;

/// Collects the settings of [`Permits`].
#[derive(Debug)]
pub struct PermitsBuilder {
    pub(super) storage: Arc<dyn Storage>,
    pub(super) name: String,
    pub(super) starts: u32,
    pub(super) period: Duration,
    pub(super) lease: Duration,
    pub(super) poll_interval: Duration,
    pub(super) id: Option<WorkerId>,
    pub(super) rng: Arc<dyn Rng>,
}

impl PermitsBuilder {
    pub(super) fn new(storage: Arc<dyn Storage>, name: &str, starts: u32, period: Duration) -> Self {
        Self {
            storage,
            name: name.to_owned(),
            starts,
            period,
            lease: Duration::from_secs(30),
            poll_interval: Duration::from_secs(5),
            id: None,
            rng: Arc::new(SystemRng),
        }
    }

    /// How long a permit may be held before its start. Default 30 s, at least 10 ms. After a crash,
    /// a permit that was held and not used is out of use for this long.
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// How often a caller that waits asks, when no hint comes and no permit is known to come
    /// sooner. Default 5 s, jittered by a quarter.
    #[must_use]
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.poll_interval = interval;
        self
    }

    /// Names the holder, for people who look at the permits. By default the name is fresh for every
    /// start of the program.
    #[must_use]
    pub fn id(mut self, id: WorkerId) -> Self {
        self.id = Some(id);
        self
    }

    /// Where tokens and jitter come from.
    #[must_use]
    pub fn rng(mut self, rng: Arc<dyn Rng>) -> Self {
        self.rng = rng;
        self
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// `Invalid` for a name that is not 1 to 247 bytes without control characters, for no starts or
    /// more than 100,000, for a period of zero or over 100 years, a lease under 10 ms or over 100
    /// years, or a poll interval of zero.
    pub fn build(self) -> Result<Permits> {
        Limiter::new(self).map(Permits::of)
    }
}

/// Refuses a number of starts that a period may not have.
pub(super) fn check_starts(starts: u32) -> Result<()> {
    match starts {
        0 => {
            Err(Error::invalid("build permits", "a period without a start would hold up everybody for ever"))
        }
        1..=STARTS_MAX => Ok(()),
        _ => Err(Error::invalid("build permits", format!("a period has at most {STARTS_MAX} starts"))),
    }
}
