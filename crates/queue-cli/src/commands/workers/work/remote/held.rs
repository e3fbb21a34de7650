//! The jobs that the worker holds, with their leases on its own clock.

use super::protocol::ClaimedJson;
use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
    time::Duration,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// All jobs that are held, in the order of their claims.
#[derive(Debug, Default)]
pub(super) struct HeldJobs {
    jobs: RefCell<BTreeMap<u64, Rc<HeldJob>>>,
    next: Cell<u64>,
}

/// A job that is held until its lease ends.
#[derive(Debug)]
pub(super) struct HeldJob {
    pub(super) receipt: String,
    expires_at: Cell<Instant>,
    is_lost: Cell<bool>,
    /// Its command is to be killed.
    pub(super) stop: CancellationToken,
}

/// Keeps a job among those that are held, until it is dropped.
pub(super) struct Holding<'a> {
    jobs: &'a HeldJobs,
    number: u64,
    pub(super) job: Rc<HeldJob>,
}

impl HeldJobs {
    /// Notes a job whose lease began at that time or later.
    pub(super) fn hold(&self, job: &ClaimedJson, granted_at: Instant) -> Holding<'_> {
        let number = self.next.replace(self.next.get() + 1);
        let held = Rc::new(HeldJob {
            receipt: job.receipt.clone(),
            expires_at: Cell::new(granted_at + Duration::from_millis(job.lease_ms)),
            is_lost: Cell::new(false),
            stop: CancellationToken::new(),
        });
        if job.cancel_requested {
            held.stop.cancel();
        }
        self.jobs.borrow_mut().insert(number, held.clone());
        Holding { jobs: self, number, job: held }
    }

    /// Those whose lease has less than this left, without those whose lease has ended: their
    /// commands are stopped.
    pub(super) fn due_within(&self, left: Duration) -> Vec<Rc<HeldJob>> {
        let now = Instant::now();
        let jobs = self.jobs.borrow();
        let (ended, others): (Vec<_>, Vec<_>) = jobs.values().partition(|job| job.expires_at.get() <= now);
        for job in ended {
            job.lose();
        }
        let is_due = |job: &&&Rc<HeldJob>| !job.is_lost.get() && job.expires_at.get() <= now + left;
        others.iter().filter(|job| is_due(job)).map(|job| Rc::clone(job)).collect()
    }

    pub(super) fn count(&self) -> usize {
        self.jobs.borrow().len()
    }
}

impl HeldJob {
    /// Whether its command may start: nobody has cancelled it, and its lease has not ended, as it
    /// may have while this process was suspended.
    pub(super) fn may_start(&self) -> bool {
        Instant::now() < self.expires_at.get() && !self.stop.is_cancelled()
    }

    /// Somebody else may have it.
    pub(super) fn lose(&self) {
        self.is_lost.set(true);
        self.stop.cancel();
    }

    pub(super) fn is_lost(&self) -> bool {
        self.is_lost.get()
    }

    /// Notes an extension that was asked for at that time.
    pub(super) fn extend(&self, sent_at: Instant, lease: Duration) {
        self.expires_at.set(sent_at + lease);
    }
}

impl Drop for Holding<'_> {
    fn drop(&mut self) {
        self.jobs.jobs.borrow_mut().remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(lease_ms: u64) -> ClaimedJson {
        let text =
            format!(r#"{{"id":"a","seq":1,"kind":"k","attempt":1,"lease_ms":{lease_ms},"receipt":"r"}}"#);
        serde_json::from_str(&text).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_lease_counts_from_the_sending_and_a_job_without_one_is_lost() {
        let held = HeldJobs::default();
        let one = held.hold(&job(3_000), Instant::now());
        let other = held.hold(&job(60_000), Instant::now());
        assert_eq!(held.due_within(Duration::from_secs(2)).len(), 0);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(held.due_within(Duration::from_secs(2)).len(), 1);
        one.job.extend(Instant::now(), Duration::from_secs(3));
        assert_eq!(held.due_within(Duration::from_secs(2)).len(), 0);
        tokio::time::advance(Duration::from_secs(3)).await;
        assert_eq!(held.due_within(Duration::from_secs(2)).len(), 0);
        assert!(one.job.is_lost() && one.job.stop.is_cancelled() && !other.job.is_lost());
        drop(one);
        assert_eq!(held.count(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_job_whose_lease_ended_before_its_start_may_not_start() {
        let held = HeldJobs::default();
        let claimed_at = Instant::now();
        tokio::time::advance(Duration::from_secs(3)).await;
        assert!(!held.hold(&job(3_000), claimed_at).job.may_start());
        assert!(held.hold(&job(3_001), claimed_at).job.may_start());
    }
}
