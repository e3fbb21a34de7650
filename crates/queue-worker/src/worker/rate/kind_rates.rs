//! The rate limits of kinds.

use super::{
    RateLimit,
    kind_rate::{KindRate, KindTurn},
};
use parking_lot::Mutex;
use queue_core::{Error, JobMeta, Kind, Result, Span, Timestamp};
use std::{collections::BTreeMap, time::Duration};
use tokio::time::Instant;

/// The rate limits of kinds. Jobs of other kinds always start.
#[derive(Debug)]
pub(in crate::worker) struct KindRates(BTreeMap<Kind, Mutex<KindRate>>);

impl KindRates {
    /// # Errors
    /// `Invalid` for a kind that is no valid name or stands twice, and for a limit under which
    /// nothing could start.
    pub(in crate::worker) fn check_all(limits: Vec<(String, RateLimit)>) -> Result<Self> {
        let mut rates = BTreeMap::new();
        let now = Instant::now();
        for (kind, limit) in limits {
            limit.check()?;
            let kind = Kind::new(&kind)?;
            if rates.contains_key(&kind) {
                let message = format!("the kind {kind:?} has a rate limit already");
                return Err(Error::invalid("build worker", message));
            }
            rates.insert(kind, Mutex::new(KindRate::new(&limit, now)));
        }
        Ok(Self(rates))
    }

    /// Starts a job if it is its turn. `lease` is the length of the lease at its claim.
    pub(in crate::worker) fn start(&self, job: &JobMeta, lease: Span) -> KindTurn {
        let Some(rate) = self.0.get(&job.kind) else { return KindTurn::Now };
        let expires_at = job.lease.as_ref().map_or(job.run_at, |lease| lease.expires_at);
        let claimed_at = Timestamp::from_millis(expires_at.as_millis().saturating_sub(lease.as_millis()));
        rate.lock().start(job.run_at, claimed_at, Instant::now())
    }

    /// For how long jobs that were put back may still return.
    pub(in crate::worker) fn returning_for(&self, now: Instant) -> Duration {
        let of = |rate: &Mutex<KindRate>| rate.lock().returning_for(now);
        self.0.values().map(of).max().unwrap_or_default()
    }
}
