//! Claims that several callers send at once.
//!
//! A claim differs from the other verbs in two ways. It is never sent twice. And an answer that
//! nobody hears leaves jobs leased to nobody, so whatever was leased for a caller that is gone is
//! given back at once.

mod direct_claim;
mod driver;
mod waiting_claims;

use crate::{BatchVerbs, Spawn, UnheardClaim, coalesce::lane::lost};
use direct_claim::{DirectClaim, MergedClaimReply};
use driver::{ClaimDriver, ClaimTurn};
use parking_lot::{Mutex, MutexGuard};
use queue_core::{ClaimRequest, Claimed, Error, QueueName, Result};
use std::{collections::HashMap, fmt, sync::Arc};
use tokio::sync::{oneshot, watch};
use waiting_claims::{WaitingClaim, WaitingClaims};

/// The claims of a handle.
///
/// One claim of a queue is under way at a time. A claim that finds none under way is driven by its
/// caller, so it costs what it costs by itself; those that come meanwhile go next in one piece,
/// driven by a task that lasts until no more wait. Claims of different queues do not wait for each
/// other.
pub(super) struct MergedClaims<S>(Arc<ClaimsState<S>>);

/// What callers, drivers and returns share.
struct ClaimsState<S> {
    store: Arc<S>,
    spawn: Arc<dyn Spawn>,
    /// The queues that have a claim under way, and who waits behind it.
    lines: Mutex<HashMap<QueueName, WaitingClaims>>,
    /// Each task that gives jobs back holds a receiver.
    returns: watch::Sender<()>,
}

impl<S: BatchVerbs> MergedClaims<S> {
    pub(super) fn new(store: Arc<S>, spawn: Arc<dyn Spawn>) -> Self {
        let (returns, _) = watch::channel(());
        Self(Arc::new(ClaimsState { store, spawn, lines: Mutex::default(), returns }))
    }

    /// Claims, perhaps in one call with others.
    pub(super) async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        let shared = &self.0;
        let Some(waits) = shared.join(&request)? else {
            let turn = ClaimTurn::new(shared.clone(), request.queue.clone());
            return DirectClaim::new(shared.clone(), request, Some(turn)).await;
        };
        MergedClaimReply::new(shared.clone(), waits).await.unwrap_or_else(|_| Err(lost("claim")))
    }

    /// Claims by itself, beside others.
    pub(super) async fn claim_apart(&self, request: ClaimRequest) -> Result<Claimed> {
        DirectClaim::new(self.0.clone(), request, None).await
    }

    /// Waits until what callers left behind is given back.
    pub(super) async fn rest(&self) {
        self.0.returns.closed().await;
    }
}

impl<S: BatchVerbs> ClaimsState<S> {
    /// Stands behind the claim of the queue that is under way; `None` if there is none, so that it
    /// is the caller's turn.
    fn join(&self, request: &ClaimRequest) -> Result<Option<oneshot::Receiver<Result<Claimed>>>> {
        let mut lines = self.lock();
        let Some(line) = lines.get_mut(&request.queue) else {
            lines.insert(request.queue.clone(), WaitingClaims::default());
            return Ok(None);
        };
        let (reply, answer) = oneshot::channel();
        line.add(WaitingClaim { request: request.clone(), reply })?;
        Ok(Some(answer))
    }

    /// The claim of a queue that was under way is over, or was given up.
    fn end_turn(self: &Arc<Self>, queue: &QueueName) {
        {
            let mut lines = self.lock();
            if lines.get(queue).is_none_or(WaitingClaims::is_empty) {
                lines.remove(queue);
                return;
            }
        }
        self.spawn.spawn(Box::pin(ClaimDriver::new(self.clone(), queue.clone()).run()));
    }

    /// Who goes next; if nobody does, the next caller drives its claim itself.
    fn next(&self, queue: &QueueName, weight_max: usize) -> Option<Vec<WaitingClaim>> {
        let mut lines = self.lock();
        let batch = lines.get_mut(queue).map(|line| line.next(weight_max)).filter(|batch| !batch.is_empty());
        if batch.is_none() {
            lines.remove(queue);
        }
        batch
    }

    /// Nobody drives the line any more: its callers hear of no answer.
    fn abandon(&self, queue: &QueueName) {
        let line = self.lock().remove(queue);
        drop(line);
    }

    /// Gives back what these answers brought, once they are there.
    fn give_back(&self, answers: impl Future<Output = Option<UnheardClaim>> + Send + 'static) {
        let store = self.store.clone();
        let returning = self.returns.subscribe();
        self.spawn.spawn(Box::pin(async move {
            if let Some(unheard) = answers.await {
                // What does not go back now lapses, or is found by whoever sent the claim: both
                // know that it was lost.
                let given_back = unheard.give_back_by(|batch| apply(&*store, batch)).await;
                drop(given_back);
            }
            drop(returning);
        }));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<QueueName, WaitingClaims>> {
        self.lines.lock()
    }
}

async fn apply<S: BatchVerbs>(
    store: &S,
    batch: Vec<queue_core::lifecycle::Transition>,
) -> Result<Vec<queue_core::Applied>, Error> {
    Ok(store.apply(batch).await?.value)
}

impl<S> fmt::Debug for MergedClaims<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MergedClaims").finish_non_exhaustive()
    }
}
