use super::{Permits, limiter::Limiter};
use crate::{single::checked_lease, worker::fresh_id};
use queue_core::{Error, QueueName, Result, Rng, Span, Storage, SystemRng, WorkerId};
use std::{sync::Arc, time::Duration};

/// What every queue of permits begins with.
const QUEUE_PREFIX: &str = "permits:";
/// Each is a job, and they are made when the first permit is acquired.
const STARTS_MAX: u32 = 100_000;

/// Collects the settings of [`Permits`].
#[derive(Debug)]
pub struct PermitsBuilder {
    storage: Arc<dyn Storage>,
    name: String,
    starts: u32,
    period: Duration,
    lease: Duration,
    poll_interval: Duration,
    id: Option<WorkerId>,
    rng: Arc<dyn Rng>,
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

    /// How long a permit may be held before its start. Default 30 s, at least 10 ms. After a crash this is how long a permit is
    /// out of use that was held and not started by.
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// How often one who waits asks when no hint comes and no permit is known to come sooner. Default 5 s, jittered by a quarter.
    #[must_use]
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.poll_interval = interval;
        self
    }

    /// Names the holder, for people who look at the permits. By default the name is fresh for every start of the program.
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
    /// `Invalid` for a name that is not 1 to 247 bytes without control characters, for no starts or more than 100,000, for a period
    /// of zero or over 100 years, a lease under 10 ms or over 100 years, or a poll interval of zero.
    pub fn build(self) -> Result<Permits> {
        // The prefix must not hide that the name itself is empty.
        QueueName::new(self.name.as_str())?;
        let queue = QueueName::new(format!("{QUEUE_PREFIX}{}", self.name))?;
        let period = Span::positive("period", self.period)?;
        let lease = checked_lease("build permits", self.lease)?;
        let poll_interval = Span::positive("poll interval", self.poll_interval)?.as_duration();
        check_starts(self.starts)?;
        let id = self.id.unwrap_or_else(|| fresh_id(&*self.rng));
        let Self { storage, starts, rng, .. } = self;
        Ok(Permits::of(Limiter::new(storage, queue, starts, period, lease, poll_interval, id, rng)))
    }
}

/// How many starts a period may have.
pub(super) fn check_starts(starts: u32) -> Result<()> {
    match starts {
        0 => {
            Err(Error::invalid("build permits", "a period without a start would hold up everybody for ever"))
        }
        1..=STARTS_MAX => Ok(()),
        _ => Err(Error::invalid("build permits", format!("a period has at most {STARTS_MAX} starts"))),
    }
}
