//! The task that sends what waits in a line, one call after the other, and answers each caller.

use super::{
    first_call::{FirstCall, only},
    line_key::LineKey,
    lines::{LinesState, Waiting},
    merged_reads::let_others_go,
    merged_verb::{MergedVerb, guarded},
};
use crate::BatchVerbs;
use queue_core::{ErrorKind, Result};
use std::sync::Arc;
use tokio::sync::{oneshot, watch};

/// Takes over a call that is under way, and sends what waits behind it until nothing waits.
pub(super) struct Driver<V: MergedVerb, S: BatchVerbs> {
    state: Arc<LinesState<V, S>>,
    key: LineKey<V::Key>,
    first: Arc<FirstCall<V::Answer>>,
    is_done: bool,
    _returning: watch::Receiver<()>,
}

impl<V: MergedVerb, S: BatchVerbs> Driver<V, S> {
    pub(super) fn new(
        state: Arc<LinesState<V, S>>,
        key: LineKey<V::Key>,
        first: Arc<FirstCall<V::Answer>>,
    ) -> Self {
        Self { _returning: state.returning(), state, key, first, is_done: false }
    }

    pub(super) async fn run(mut self) {
        if let Some(Ok(answer)) = self.first.drive().await {
            self.state.give_back(V::unheard(answer));
        }
        let weight_max = self.state.store.limits().batch_max;
        while let Some(batch) = self.state.next(&self.key, weight_max) {
            self.send(batch).await;
            // Callers that were just answered may call again, and go together.
            let_others_go().await;
        }
        self.is_done = true;
    }

    /// One call after the other, until each request is answered: a call may leave out those at its
    /// end.
    async fn send(&self, mut batch: Vec<Waiting<V>>) {
        while batch.len() > 1 {
            let requests = batch.iter().map(|waiting| waiting.request.clone()).collect();
            match self.call(requests).await {
                Ok(answers) => {
                    let begun = answers.len().min(batch.len());
                    self.answer(batch.drain(..begun), answers);
                }
                // Somebody's input was refused. Nothing happened, so each may try alone.
                Err(error) if error.kind() == ErrorKind::Invalid => break,
                Err(error) => return self.answer(batch, std::iter::repeat_with(|| Err(error.clone()))),
            }
        }
        for Waiting { request, reply } in batch {
            let answer = self.call(vec![request]).await.and_then(only::<V>);
            self.reply(reply, answer);
        }
    }

    async fn call(&self, requests: Vec<V::Request>) -> Result<Vec<Result<V::Answer>>> {
        guarded::<V, S>(&self.state.store, self.key.key.clone(), requests).await
    }

    fn answer(
        &self,
        batch: impl IntoIterator<Item = Waiting<V>>,
        answers: impl IntoIterator<Item = Result<V::Answer>>,
    ) {
        for (waiting, answer) in batch.into_iter().zip(answers) {
            self.reply(waiting.reply, answer);
        }
    }

    fn reply(&self, reply: oneshot::Sender<Result<V::Answer>>, answer: Result<V::Answer>) {
        if let Err(Ok(unheard)) = reply.send(answer) {
            self.state.give_back(V::unheard(unheard));
        }
    }
}

impl<V: MergedVerb, S: BatchVerbs> Drop for Driver<V, S> {
    fn drop(&mut self) {
        if !self.is_done {
            self.first.abandon(V::NAME);
            self.state.abandon(&self.key);
        }
    }
}
