//! A subscription to the hints of a store, which may be missing or late.

use crate::client::Shared;
use futures_util::{FutureExt, StreamExt, future::BoxFuture, stream};
use queue_core::{EventStream, Hint, Interest, asking::NextAsk};
use std::{future, pin::pin, time::Duration};
use tokio::time::{Instant, sleep_until};

/// The longest wait for a subscription: hints save time, so they must not cost more than they save.
const SUBSCRIBE_MAX: Duration = Duration::from_millis(100);

/// The most hints that are dropped at a time, since a stream may have any number of them. A hint
/// that is left costs one needless ask.
const FORGOTTEN_MAX: u32 = 16;

/// A subscription to hints, which may be missing or late. It then has no hints, and the caller
/// reads at intervals anyway.
pub(crate) struct Hints {
    source: HintSource,
}

enum HintSource {
    None,
    /// The store has not answered the subscription yet. Its answer counts as a hint, since changes
    /// may have happened before it.
    Late(BoxFuture<'static, Option<EventStream>>),
    Stream(EventStream),
}

impl Hints {
    /// Subscribes. Once this answers, later changes are hinted at, if the store answers quickly and
    /// sends hints.
    pub(crate) async fn subscribe(shared: &Shared, interest: Interest, deadline: Instant) -> Self {
        let (storage, queue) = (shared.storage.clone(), shared.name.clone());
        // An error that matters occurs again in the next read.
        let mut subscribing = async move { storage.subscribe(&queue, interest).await.ok() }.boxed();
        let until = deadline.min(Instant::now() + SUBSCRIBE_MAX);
        let source = match tokio::time::timeout_at(until, &mut subscribing).await {
            Ok(stream) => stream.map_or(HintSource::None, HintSource::Stream),
            Err(_elapsed) => HintSource::Late(subscribing),
        };
        Self { source }
    }

    /// Makes a call and polls the subscription beside it: a subscription that is not polled could
    /// hold a resource that the call needs, such as a connection.
    pub(crate) async fn beside<T>(&mut self, call: impl Future<Output = T>) -> T {
        let mut call = pin!(call);
        tokio::select! {
            biased;
            answer = &mut call => return answer,
            () = self.arrives() => {}
        }
        call.await
    }

    /// Waits for the next hint. Dropping the future loses no hint.
    pub(crate) async fn next(&mut self) -> Hint {
        self.arrives().await;
        if let HintSource::Stream(hints) = &mut self.source
            && let Some(hint) = hints.next().await
        {
            return hint;
        }
        self.source = HintSource::None;
        future::pending().await
    }

    /// Waits for the answer of a late subscription.
    async fn arrives(&mut self) {
        if let HintSource::Late(subscribing) = &mut self.source {
            let stream = subscribing.await;
            self.source = stream.map_or(HintSource::None, |hints| {
                HintSource::Stream(stream::iter([Hint::Missed]).chain(hints).boxed())
            });
        }
    }

    /// Waits until the caller should ask again.
    pub(crate) async fn until_next_ask(&mut self, next_ask: &mut NextAsk) {
        self.until_next_ask_if(next_ask, |_| true).await;
    }

    /// The same, but ignores the hints that the caller rejects.
    pub(crate) async fn until_next_ask_if(
        &mut self,
        next_ask: &mut NextAsk,
        mut is_news: impl FnMut(&Hint) -> bool,
    ) {
        while let Some(until) = next_ask.rests_until() {
            if !next_ask.listens() {
                // A hint would not end this rest, but the subscription still has to be polled.
                return self.beside(sleep_until(until.into())).await;
            }
            tokio::select! {
                hint = self.next() => {
                    if is_news(&hint) {
                        next_ask.hinted(Instant::now().into_std(), &hint);
                    }
                }
                () = sleep_until(until.into()) => return,
            }
        }
    }

    /// Drops the hints that have arrived so far: a call that is sent after this finds the changes
    /// that they are about.
    pub(crate) fn forget(&mut self) {
        if let HintSource::Stream(hints) = &mut self.source {
            let mut forgotten = 0;
            while forgotten < FORGOTTEN_MAX && matches!(hints.next().now_or_never(), Some(Some(_))) {
                forgotten += 1;
            }
        }
    }
}
