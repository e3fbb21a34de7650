//! The claims that wait behind the one of their queue that is under way.

use queue_core::{ClaimRequest, Claimed, Error, ErrorKind, Result};
use tokio::sync::oneshot;

/// Claims that may wait for one queue. Those beyond it are refused: their callers are many more
/// than a store has answers for.
const WAITING_MAX: usize = 16_384;
/// Claims in one call.
const CALLS_MAX: usize = 1_000;

/// A claim that was not sent yet.
pub(super) struct WaitingClaim {
    pub(super) request: ClaimRequest,
    pub(super) reply: oneshot::Sender<Result<Claimed>>,
}

/// Who waits behind the claim of a queue that is under way, in order of arrival.
#[derive(Default)]
pub(super) struct WaitingClaims(Vec<WaitingClaim>);

impl WaitingClaims {
    pub(super) fn add(&mut self, waiting: WaitingClaim) -> Result<()> {
        if self.0.len() >= WAITING_MAX {
            self.leave_out_the_gone();
        }
        if self.0.len() >= WAITING_MAX {
            let message = "too many claims of the queue wait for one that is under way";
            return Err(Error::new(ErrorKind::Unavailable, "claim", message));
        }
        self.0.push(waiting);
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As many as fit one call, those left out whose callers are gone.
    pub(super) fn next(&mut self, weight_max: usize) -> Vec<WaitingClaim> {
        self.leave_out_the_gone();
        let mut weight = 0;
        let fits = |waiting: &WaitingClaim| {
            weight += waiting.request.limit;
            weight <= weight_max
        };
        let count = self.0.iter().take(CALLS_MAX).map(fits).take_while(|fits| *fits).count();
        // A single one always goes.
        self.0.drain(..count.max(1).min(self.0.len())).collect()
    }

    fn leave_out_the_gone(&mut self) {
        self.0.retain(|waiting| !waiting.reply.is_closed());
    }
}
