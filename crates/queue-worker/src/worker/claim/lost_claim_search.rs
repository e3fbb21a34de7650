//! The search for jobs that a claim leased whose answer was lost.

use super::queue_call::SIDE_CALL_MAX;
use crate::worker::run::WorkerRun;
use queue_core::{Error, ErrorKind, LostClaim, QueueName, Result, asking::after_error};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// Bounds the search for a claim that named no time after which it is void. A server that stands
/// still may begin such a claim whenever it goes on, so the search lasts until the server has
/// answered once, and no longer than this.
const STANDSTILL_MAX: Duration = Duration::from_secs(3600);

/// A claim of this worker whose answer was lost. The search gives back what the claim leased, so
/// that no job is leased without a worker that knows of it.
#[derive(Debug)]
pub(super) struct LostClaimSearch {
    queue: QueueName,
    claim: LostClaim,
    /// Every lease of the claim has lapsed by then.
    lapses_at: Instant,
    looks: u32,
}

impl LostClaimSearch {
    /// `begun_by` is when the claim becomes void, if it said so: the store leases nothing for it
    /// after that.
    pub(super) fn new(
        run: &WorkerRun,
        queue: &QueueName,
        claim: LostClaim,
        begun_by: Option<Instant>,
    ) -> Self {
        let begun_by = begun_by.unwrap_or_else(|| Instant::now() + STANDSTILL_MAX);
        // The store may begin the claim as late as that, and then take the time of a call.
        let call = run.storage.capabilities().call_timeout;
        let lapses_at = begun_by + call + run.options.lease.as_duration();
        Self { queue: queue.clone(), claim, lapses_at, looks: 0 }
    }

    /// Looks until the store has answered once, or a further look has no use. Answers whether the
    /// search is over.
    pub(super) async fn search(&mut self, run: &WorkerRun) -> bool {
        loop {
            match self.look(run).await {
                Ok(is_over) => return is_over,
                Err(error) if !error.is_transient() => {
                    run.report_error_of(&self.queue, error);
                    return true;
                }
                // Claims report that the store is away.
                Err(_) if Instant::now() < self.lapses_at => self.pause(run).await,
                Err(_) => return true,
            }
        }
    }

    /// Looks again for jobs that the claim leases late, until it can lease none any more. After a
    /// stop of the worker it looks once more.
    pub(super) async fn go_on(mut self, run: &WorkerRun) {
        let stop = &run.shutdown.stop;
        loop {
            let is_last = stop.is_cancelled();
            if self.search(run).await || is_last {
                return;
            }
            let _stopped = stop.run_until_cancelled(self.pause(run)).await;
        }
    }

    /// A look without an answer in time fails as one to which the store did not answer.
    async fn look(&mut self, run: &WorkerRun) -> Result<bool> {
        self.looks += 1;
        let look = timeout(SIDE_CALL_MAX, self.claim.give_back(&*run.storage)).await;
        look.unwrap_or_else(|_elapsed| Err(Error::new(ErrorKind::Unavailable, "list", "no answer in time")))
    }

    async fn pause(&self, run: &WorkerRun) {
        sleep(after_error(self.looks, &*run.rng)).await;
    }
}
