//! Sends the waiting claims of a queue, one call after the other, and answers each.

use super::{ClaimsState, waiting_claims::WaitingClaim};
use crate::{
    BatchVerbs, UnheardClaim,
    coalesce::{lane::lost, merged_reads::let_others_go},
};
use futures_util::FutureExt;
use queue_core::{ClaimRequest, Claimed, ErrorKind, QueueName, Result};
use std::{future::ready, panic::AssertUnwindSafe, sync::Arc};

/// A queue has a claim under way until this is dropped.
pub(super) struct ClaimTurn<S: BatchVerbs> {
    shared: Arc<ClaimsState<S>>,
    queue: QueueName,
}

impl<S: BatchVerbs> ClaimTurn<S> {
    pub(super) fn new(shared: Arc<ClaimsState<S>>, queue: QueueName) -> Self {
        Self { shared, queue }
    }
}

impl<S: BatchVerbs> Drop for ClaimTurn<S> {
    fn drop(&mut self) {
        self.shared.end_turn(&self.queue);
    }
}

/// Sends what waits in the line of a queue until nobody waits.
pub(super) struct ClaimDriver<S: BatchVerbs> {
    shared: Arc<ClaimsState<S>>,
    queue: QueueName,
    is_done: bool,
}

impl<S: BatchVerbs> ClaimDriver<S> {
    pub(super) fn new(shared: Arc<ClaimsState<S>>, queue: QueueName) -> Self {
        Self { shared, queue, is_done: false }
    }

    pub(super) async fn run(mut self) {
        let weight_max = self.shared.store.limits().batch_max;
        while let Some(batch) = self.shared.next(&self.queue, weight_max) {
            self.send(batch).await;
            // Callers that were just answered may claim again, and go together.
            let_others_go().await;
        }
        self.is_done = true;
    }

    /// One call after the other, until each is answered: a call may leave out those at its end.
    async fn send(&self, mut batch: Vec<WaitingClaim>) {
        while !batch.is_empty() {
            let requests = batch.iter().map(|waiting| waiting.request.clone()).collect();
            match self.guarded(requests).await {
                Ok(answers) => {
                    let begun = answers.len().min(batch.len());
                    self.answer(batch.drain(..begun), answers.into_iter().map(Ok));
                }
                // Nothing happened, and it may be the fault of one.
                Err(error) if error.kind() == ErrorKind::Invalid && batch.len() > 1 => {
                    return self.send_each(batch).await;
                }
                Err(error) => return self.answer(batch, std::iter::repeat_with(|| Err(error.clone()))),
            }
        }
    }

    async fn send_each(&self, batch: Vec<WaitingClaim>) {
        for waiting in batch {
            let answer = self.guarded(vec![waiting.request.clone()]).await.and_then(only);
            self.answer([waiting], [answer]);
        }
    }

    /// At least one answer. A panic in the store costs the callers of one call, not the line.
    async fn guarded(&self, requests: Vec<ClaimRequest>) -> Result<Vec<Claimed>> {
        let call = AssertUnwindSafe(self.shared.store.claim(requests)).catch_unwind();
        let answers = call.await.unwrap_or_else(|_panic| Err(lost("claim")))?;
        if answers.is_empty() { Err(lost("claim")) } else { Ok(answers) }
    }

    fn answer(
        &self,
        batch: impl IntoIterator<Item = WaitingClaim>,
        answers: impl IntoIterator<Item = Result<Claimed>>,
    ) {
        let sent = batch.into_iter().zip(answers).map(|(waiting, answer)| waiting.reply.send(answer));
        let unheard = UnheardClaim::of(sent.filter_map(Result::err).flatten());
        if unheard.is_some() {
            self.shared.give_back(ready(unheard));
        }
    }
}

impl<S: BatchVerbs> Drop for ClaimDriver<S> {
    fn drop(&mut self) {
        if !self.is_done {
            self.shared.abandon(&self.queue);
        }
    }
}

/// The answer to a single request.
pub(super) fn only(answers: Vec<Claimed>) -> Result<Claimed> {
    answers.into_iter().next().ok_or_else(|| lost("claim"))
}
