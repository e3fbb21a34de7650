//! The lease of one term.

use super::{Fence, LeadershipEvent, LostReason, campaign::ElectionWin, leader::Candidate};
use crate::single::policy;
use parking_lot::Mutex;
use queue_core::{Changed, JobMeta, LeaseToken, Result, StorageExt, lifecycle::Event};
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::time::{Instant, sleep, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;

/// Heartbeats in one lease. Two may fail before it lapses.
const BEATS_PER_LEASE: u32 = 3;
/// After a heartbeat that failed, the next follows this many times sooner.
const HURRY: u32 = 4;

/// The lease of one term, which the task that keeps it shares with the [`Term`](super::Term) that
/// shows it.
#[derive(Debug)]
pub(super) struct Holder {
    candidate: Arc<Candidate>,
    meta: JobMeta,
    token: LeaseToken,
    lapses_at: Mutex<Instant>,
    reason: OnceLock<LostReason>,
    lost: CancellationToken,
    ended: CancellationToken,
}

impl Holder {
    pub(super) fn new(candidate: Arc<Candidate>, won: ElectionWin) -> Self {
        let ElectionWin { job, lapses_at } = won;
        Self {
            candidate,
            meta: job.record.meta,
            token: job.token,
            lapses_at: Mutex::new(lapses_at),
            reason: OnceLock::new(),
            lost: CancellationToken::new(),
            ended: CancellationToken::new(),
        }
    }

    pub(super) fn fence(&self) -> Fence {
        Fence::of(&self.meta)
    }

    pub(super) fn lost_token(&self) -> &CancellationToken {
        &self.lost
    }

    pub(super) fn reason(&self) -> Option<LostReason> {
        self.reason.get().copied()
    }

    /// Whether the lease runs by the clock. After a freeze of the process this is right at once,
    /// before the task runs again.
    pub(super) fn is_held(&self) -> bool {
        self.reason().is_none() && Instant::now() < self.lapses_at()
    }

    /// Resolves when nothing is done for this term any more.
    pub(super) async fn ended(&self) {
        self.ended.cancelled().await;
    }

    pub(super) fn emit(&self, event: &LeadershipEvent) {
        self.candidate.listener.tell(event);
    }

    /// Keeps the lease until it is lost or the holder leaves, and then gives it back.
    pub(super) async fn hold(&self, leave: &CancellationToken) {
        let _said_whatever_happens = self.ended.clone().drop_guard();
        let reason = tokio::select! {
            biased;
            () = leave.cancelled() => LostReason::Resigned,
            reason = self.beats() => reason,
            () = self.lapse() => LostReason::Lapsed,
        };
        self.lose(reason);
        // A leader that was asked to step down may finish its work for as long as the lease runs.
        if reason == LostReason::Revoked {
            drop(timeout_at(self.lapses_at(), leave.cancelled()).await);
        }
        if matches!(reason, LostReason::Resigned | LostReason::Revoked) {
            self.give_back().await;
        }
    }

    /// Asks the store for another lease. Answers why the term is over, if it is.
    pub(super) async fn beat(&self) -> Result<Option<LostReason>> {
        let lease = self.candidate.lease;
        let lapses_at = Instant::now() + lease.as_duration();
        let event = Event::Extend { token: self.token, by: lease, progress: None };
        Ok(match self.candidate.storage.settle(&self.meta, event, &policy()).await? {
            Changed::Done(now) => {
                self.extended(lapses_at);
                now.cancel_requested.then_some(LostReason::Revoked)
            }
            Changed::LeaseLost(_) | Changed::Rejected(_) | Changed::Missing => Some(LostReason::Taken),
        })
    }

    /// Ends the term. The first reason stays, and one event is emitted.
    pub(super) fn lose(&self, reason: LostReason) {
        if self.reason.set(reason).is_ok() {
            self.lost.cancel();
            self.emit(&LeadershipEvent::Lost { fence: self.fence(), reason });
        }
    }

    async fn beats(&self) -> LostReason {
        let interval = self.candidate.lease.as_duration() / BEATS_PER_LEASE;
        let mut pause = interval;
        loop {
            sleep(pause).await;
            pause = match self.beat().await {
                Ok(Some(reason)) => return reason,
                Ok(None) => interval,
                Err(error) => {
                    self.emit(&LeadershipEvent::Error(error));
                    interval / HURRY
                }
            };
        }
    }

    async fn lapse(&self) {
        loop {
            let at = self.lapses_at();
            if Instant::now() >= at {
                return;
            }
            sleep_until(at).await;
        }
    }

    /// Releases the lease. It tries for as long as the lease runs; after that the job is open to
    /// others anyway.
    async fn give_back(&self) {
        let releasing = async {
            let event = || Event::release(self.token);
            while let Err(error) = self.candidate.storage.settle(&self.meta, event(), &policy()).await {
                self.emit(&LeadershipEvent::Error(error));
                sleep(self.candidate.lease.as_duration() / (BEATS_PER_LEASE * HURRY)).await;
            }
        };
        drop(timeout_at(self.lapses_at().max(Instant::now() + MOMENT), releasing).await);
    }

    fn extended(&self, lapses_at: Instant) {
        let mut known = self.lapses_at.lock();
        // An answer that was late must not shorten what a later beat gained.
        *known = lapses_at.max(*known);
    }

    fn lapses_at(&self) -> Instant {
        *self.lapses_at.lock()
    }
}

/// The least time for giving a lease back, so that it is tried once even if the lease is about to
/// lapse.
const MOMENT: Duration = Duration::from_millis(100);
