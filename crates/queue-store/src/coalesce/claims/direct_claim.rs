//! Claims whose callers may go: what is leased for them then is given back.

use super::{ClaimsState, driver::ClaimTurn};
use crate::{BatchVerbs, UnheardClaim};
use futures_util::{FutureExt, future::BoxFuture};
use queue_core::{ClaimRequest, Claimed, Result};
use std::{
    future::ready,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready as ready_or_wait},
};
use tokio::sync::oneshot::{self, error::RecvError};

/// A claim that its caller drives. If the caller goes, a task carries it to its end and gives back
/// what it brings.
pub(super) struct DirectClaim<S: BatchVerbs> {
    shared: Arc<ClaimsState<S>>,
    call: Option<BoxFuture<'static, Result<Claimed>>>,
}

impl<S: BatchVerbs> DirectClaim<S> {
    pub(super) fn new(
        shared: Arc<ClaimsState<S>>,
        request: ClaimRequest,
        turn: Option<ClaimTurn<S>>,
    ) -> Self {
        let store = shared.store.clone();
        let call = async move {
            let answers = store.claim(vec![request]).await;
            drop(turn);
            super::driver::only(answers?)
        };
        Self { shared, call: Some(call.boxed()) }
    }
}

impl<S: BatchVerbs> Future for DirectClaim<S> {
    type Output = Result<Claimed>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let call = self.call.as_mut().expect("nobody polls a future that has answered");
        let answer = ready_or_wait!(call.as_mut().poll(context));
        self.call = None;
        Poll::Ready(answer)
    }
}

impl<S: BatchVerbs> Drop for DirectClaim<S> {
    fn drop(&mut self) {
        if let Some(call) = self.call.take() {
            self.shared.give_back(call.map(|answer| UnheardClaim::of(answer.ok())));
        }
    }
}

/// Whoever waits for its part of a merged answer. One that came, and was never looked at, is given
/// back too.
pub(super) struct MergedClaimReply<S: BatchVerbs> {
    shared: Arc<ClaimsState<S>>,
    answer: oneshot::Receiver<Result<Claimed>>,
}

impl<S: BatchVerbs> MergedClaimReply<S> {
    pub(super) fn new(shared: Arc<ClaimsState<S>>, answer: oneshot::Receiver<Result<Claimed>>) -> Self {
        Self { shared, answer }
    }
}

impl<S: BatchVerbs> Future for MergedClaimReply<S> {
    type Output = Result<Result<Claimed>, RecvError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.answer.poll_unpin(context)
    }
}

impl<S: BatchVerbs> Drop for MergedClaimReply<S> {
    fn drop(&mut self) {
        self.answer.close();
        if let Ok(Ok(claimed)) = self.answer.try_recv()
            && let Some(unheard) = UnheardClaim::of([claimed])
        {
            self.shared.give_back(ready(Some(unheard)));
        }
    }
}
