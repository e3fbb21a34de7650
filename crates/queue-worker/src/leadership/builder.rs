//! Collects and checks the settings of a candidate.

use super::{
    Leadership, LeadershipEvent,
    event::LeadershipListener,
    leader::{Candidate, queue_of},
};
use crate::{single::checked_lease, worker::fresh_id};
use queue_core::{QueueName, Result, Rng, Span, Storage, SystemRng, WorkerId};
use std::{sync::Arc, time::Duration};

/// Collects the settings of a [`Leadership`].
#[derive(Debug)]
pub struct LeadershipBuilder {
    storage: Arc<dyn Storage>,
    queue: QueueName,
    lease: Duration,
    poll_interval: Duration,
    id: Option<WorkerId>,
    rng: Arc<dyn Rng>,
    listener: LeadershipListener,
}

impl LeadershipBuilder {
    pub(super) fn new(storage: Arc<dyn Storage>, election: &str) -> Result<Self> {
        Ok(Self {
            storage,
            queue: queue_of(election)?,
            lease: Duration::from_secs(15),
            poll_interval: Duration::from_secs(5),
            id: None,
            rng: Arc::new(SystemRng),
            listener: LeadershipListener::default(),
        })
    }

    /// How long a leader leads without a heartbeat, which is sent three times in that time. Default
    /// 15 s, at least 10 ms. After a crash there is no leader for this long.
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// How often a candidate asks when no hint comes and no lease is known to end sooner. Default 5
    /// s, jittered by a quarter.
    #[must_use]
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.poll_interval = interval;
        self
    }

    /// Sets the function that is called for everything that happens to this candidate. It should be
    /// short, since heartbeats wait for it.
    #[must_use]
    pub fn on_event(mut self, listen: impl Fn(&LeadershipEvent) + Send + Sync + 'static) -> Self {
        self.listener = LeadershipListener::new(listen);
        self
    }

    /// Names the candidate, for people who look at the election's job. By default the name is fresh
    /// for every start.
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
    /// `Invalid` for a lease under 10 ms or over 100 years, or a poll interval of zero.
    pub fn build(self) -> Result<Leadership> {
        let poll_interval = Span::positive("poll interval", self.poll_interval)?.as_duration();
        let lease = checked_lease("build leadership", self.lease)?;
        let id = self.id.unwrap_or_else(|| fresh_id(&*self.rng));
        let Self { storage, queue, rng, listener, .. } = self;
        Ok(Leadership::new(Candidate { storage, queue, lease, poll_interval, id, rng, listener }))
    }
}
