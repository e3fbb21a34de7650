use super::call::SIDE_CALL_MAX;
use crate::worker::shared::Shared;
use queue_core::{LostClaim, QueueName, Result, asking::after_error};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// A claim that did not say until when it is listened for may be begun whenever a server that stands still goes on. It is
/// looked for until that has answered once, and for no longer than this.
const STANDSTILL_MAX: Duration = Duration::from_secs(3600);

/// A claim of this worker whose answer was lost, and the search for what it leased, so that no job is held by nobody.
#[derive(Debug)]
pub(super) struct Lost {
    queue: QueueName,
    claim: LostClaim,
    /// Whatever it leased has lapsed by then.
    lapses_at: Instant,
    looks: u32,
}

impl Lost {
    /// Of a claim that said that it is listened for until then, if it did.
    pub(super) fn new(shared: &Shared, queue: &QueueName, claim: LostClaim, until: Option<Instant>) -> Self {
        // It may have been begun as late as that, and taken the time of a call.
        let begun_by = until.unwrap_or_else(|| Instant::now() + STANDSTILL_MAX);
        let call = shared.storage.capabilities().call_timeout;
        let lapses_at = begun_by + call + shared.options.lease.as_duration();
        Self { queue: queue.clone(), claim, lapses_at, looks: 0 }
    }

    /// Until the store has answered one look, and given up when there is no use in it any more; true then, or if nothing can
    /// come of the claim any more.
    pub(super) async fn find(&mut self, shared: &Shared) -> bool {
        loop {
            match self.look(shared).await {
                Some(Ok(is_over)) => return is_over,
                Some(Err(error)) if !error.is_transient() => {
                    shared.report_error_of(&self.queue, error);
                    return true;
                }
                // Claims report that the store is away.
                Some(Err(_)) | None if Instant::now() < self.lapses_at => self.pause(shared).await,
                Some(Err(_)) | None => return true,
            }
        }
    }

    /// Looks again for what comes of the claim late, until nothing can, or the worker stops: then once more.
    pub(super) async fn watch(mut self, shared: &Shared) {
        let stop = &shared.signals.stop;
        loop {
            let is_last = stop.is_cancelled();
            if self.find(shared).await || is_last {
                return;
            }
            let _stopped = stop.run_until_cancelled(self.pause(shared)).await;
        }
    }

    async fn look(&mut self, shared: &Shared) -> Option<Result<bool>> {
        self.looks += 1;
        timeout(SIDE_CALL_MAX, self.claim.give_back(&*shared.storage)).await.ok()
    }

    async fn pause(&self, shared: &Shared) {
        sleep(after_error(self.looks, &*shared.rng)).await;
    }
}
