//! A call that its caller drives, until another caller waits behind it.

use super::{
    line_key::LineKey,
    lines::{LinesState, lost, unanswered},
    merged_verb::{MergedVerb, guarded},
};
use crate::BatchVerbs;
use futures_util::{FutureExt, future::BoxFuture};
use parking_lot::Mutex;
use queue_core::Result;
use std::{
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};
use tokio::runtime::Handle;

/// A call that is under way alone. Its caller drives it, or a task that has taken it over; the lock
/// is held for a poll, never across an await.
pub(super) struct FirstCall<A>(Mutex<Stage<A>>);

enum Stage<A> {
    UnderWay {
        call: BoxFuture<'static, Result<A>>,
        /// Of the caller, to be woken by the task that drives the call.
        caller: Option<Waker>,
        is_driven: bool,
        /// The caller has left.
        is_unheard: bool,
    },
    Answered(Result<A>),
    /// The answer was taken.
    Over,
}

impl<A> FirstCall<A> {
    fn new(call: BoxFuture<'static, Result<A>>) -> Self {
        Self(Mutex::new(Stage::UnderWay { call, caller: None, is_driven: false, is_unheard: false }))
    }

    fn poll_by_caller(&self, context: &mut Context<'_>) -> Poll<Result<A>> {
        let mut stage = self.0.lock();
        if let Stage::UnderWay { call, caller, is_driven, .. } = &mut *stage {
            // The call wakes the task that polled it last, so once a task drives it the caller must
            // not.
            let polled = if *is_driven { Poll::Pending } else { call.as_mut().poll(context) };
            let Poll::Ready(answer) = polled else {
                caller.get_or_insert_with(|| context.waker().clone()).clone_from(context.waker());
                return Poll::Pending;
            };
            *stage = Stage::Over;
            return Poll::Ready(answer);
        }
        match std::mem::replace(&mut *stage, Stage::Over) {
            Stage::Answered(answer) => Poll::Ready(answer),
            Stage::UnderWay { .. } | Stage::Over => panic!("a future was polled after it had answered"),
        }
    }

    /// Drives the call to its end on the task that calls this. Answers what came for a caller that
    /// has left.
    pub(super) async fn drive(&self) -> Option<Result<A>> {
        poll_fn(|context| self.poll_by_driver(context)).await
    }

    fn poll_by_driver(&self, context: &mut Context<'_>) -> Poll<Option<Result<A>>> {
        let mut stage = self.0.lock();
        let Stage::UnderWay { call, is_driven, .. } = &mut *stage else { return Poll::Ready(None) };
        *is_driven = true;
        let Poll::Ready(answer) = call.as_mut().poll(context) else { return Poll::Pending };
        Poll::Ready(answered(&mut stage, answer))
    }

    /// The caller has left. Answers what it did not receive, if that is there already.
    fn leave(&self) -> Option<Result<A>> {
        let mut stage = self.0.lock();
        if let Stage::UnderWay { is_unheard, .. } = &mut *stage {
            *is_unheard = true;
            return None;
        }
        match std::mem::replace(&mut *stage, Stage::Over) {
            Stage::Answered(answer) => Some(answer),
            Stage::UnderWay { .. } | Stage::Over => None,
        }
    }

    /// The task that drove the call has ended.
    pub(super) fn abandon(&self, operation: &'static str) {
        let mut stage = self.0.lock();
        if let Stage::UnderWay { .. } = &*stage {
            drop(answered(&mut stage, Err(unanswered(operation))));
        }
    }
}

/// Leaves an answer for the caller, or hands it back if the caller has left.
fn answered<A>(stage: &mut Stage<A>, answer: Result<A>) -> Option<Result<A>> {
    match std::mem::replace(stage, Stage::Over) {
        Stage::UnderWay { is_unheard: false, caller, .. } => {
            *stage = Stage::Answered(answer);
            caller.into_iter().for_each(Waker::wake);
            None
        }
        _ => Some(answer),
    }
}

/// A call as its caller awaits it. If the caller goes, a task carries the call to its end.
pub(super) struct FirstCaller<V: MergedVerb, S: BatchVerbs> {
    state: Arc<LinesState<V, S>>,
    first: Arc<FirstCall<V::Answer>>,
    /// The line that the call stands at the head of; `None` if it goes beside others.
    key: Option<LineKey<V::Key>>,
    /// The runtime that the call was begun on, whose sockets and timers it uses.
    home: Option<Handle>,
    is_over: bool,
}

impl<V: MergedVerb, S: BatchVerbs> FirstCaller<V, S> {
    pub(super) fn new(state: Arc<LinesState<V, S>>, key: LineKey<V::Key>, request: V::Request) -> Self {
        let mut call = Self::apart(state, key.key.clone(), request);
        call.key = Some(key);
        call
    }

    /// A call that stands in no line.
    pub(super) fn apart(state: Arc<LinesState<V, S>>, key: V::Key, request: V::Request) -> Self {
        let store = state.store.clone();
        let call = async move { only::<V>(guarded::<V, S>(&store, key, vec![request]).await?) };
        let (first, home) = (Arc::new(FirstCall::new(call.boxed())), Handle::try_current().ok());
        Self { state, first, key: None, home, is_over: false }
    }

    pub(super) fn first(&self) -> Arc<FirstCall<V::Answer>> {
        self.first.clone()
    }
}

/// Nothing in it is pinned.
impl<V: MergedVerb, S: BatchVerbs> Unpin for FirstCaller<V, S> {}

impl<V: MergedVerb, S: BatchVerbs> Future for FirstCaller<V, S> {
    type Output = Result<V::Answer>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let polled = self.first.poll_by_caller(context);
        if polled.is_ready() {
            self.is_over = true;
            if let Some(key) = &self.key {
                self.state.end(key, &self.first);
            }
        }
        polled
    }
}

impl<V: MergedVerb, S: BatchVerbs> Drop for FirstCaller<V, S> {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        // The future may have moved to another runtime, which must not wait for this call, nor the
        // line of the call for that one.
        let _at_home = self.home.as_ref().map(Handle::enter);
        if let Some(answer) = self.first.leave() {
            return self.state.give_back(answer.ok().and_then(V::unheard));
        }
        if let Some(key) = self.key.take() {
            return self.state.carry(key, &self.first);
        }
        let first = self.first.clone();
        self.state.give_back_later(async move { first.drive().await?.ok().and_then(V::unheard) });
    }
}

/// The answer to a single request.
pub(super) fn only<V: MergedVerb>(answers: Vec<Result<V::Answer>>) -> Result<V::Answer> {
    answers.into_iter().next().unwrap_or_else(|| Err(lost(V::NAME)))
}
