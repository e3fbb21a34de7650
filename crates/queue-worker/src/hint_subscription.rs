//! The subscription to the hints of one queue.

use futures_util::{FutureExt, StreamExt, future::BoxFuture, stream};
use queue_core::{Error, ErrorKind, EventStream, Hint, Interest, QueueName, Result, Storage};
use std::{
    future::poll_fn,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker, ready},
    time::Duration,
};
use tokio::time::timeout;

/// A subscription without an answer for this long is given up, and asked for again with the next
/// claim.
const SUBSCRIBE_MAX: Duration = Duration::from_secs(30);

/// Most hints that are forgotten at a time, since a stream may have any number of them. Each hint
/// that is left may cost a claim too many.
const FORGOTTEN_MAX: u32 = 16;

/// The hints of one queue. Hints save time and are never waited for: claims go on while a
/// subscription has no answer.
#[derive(Default)]
pub(crate) enum HintSubscription {
    #[default]
    Unsubscribed,
    Subscribing(BoxFuture<'static, Result<EventStream>>),
    Listening(EventStream),
}

/// What came of a subscription.
#[derive(Debug)]
pub(crate) enum HintNews {
    /// There may be something to claim.
    Hint(Hint),
    /// The stream has ended. The next subscription may bring more hints.
    Ended,
    /// The store takes no subscription now.
    Refused(Error),
}

impl HintSubscription {
    /// Subscribes, unless that is done or in progress. From then on the hints of a store that
    /// answers at once are received, so that no job that is enqueued after a claim that follows
    /// goes unnoticed. A later answer counts as a hint, for the same reason.
    ///
    /// # Errors
    /// The errors of the store, if it answers at once.
    pub(crate) fn subscribe(&mut self, storage: &Arc<dyn Storage>, queue: &QueueName) -> Result<()> {
        if !matches!(self, Self::Unsubscribed) {
            return Ok(());
        }
        let (storage, queue) = (storage.clone(), queue.clone());
        let mut subscribing = async move {
            let answer = timeout(SUBSCRIBE_MAX, storage.subscribe(&queue, Interest::Wake)).await;
            answer.unwrap_or_else(|_elapsed| Err(unanswered()))
        }
        .boxed();
        *self = match subscribing.poll_unpin(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(answer) => Self::Listening(answer?),
            Poll::Pending => Self::Subscribing(subscribing),
        };
        Ok(())
    }

    /// Polls a subscription that is in progress, so that it does not stop half-way.
    pub(crate) fn poll_subscription(&mut self, context: &mut Context<'_>) -> Poll<HintNews> {
        let Self::Subscribing(subscribing) = self else { return Poll::Pending };
        match subscribing.poll_unpin(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Ok(hints)) => {
                *self = Self::Listening(stream::iter([Hint::Missed]).chain(hints).boxed());
                Poll::Pending
            }
            Poll::Ready(Err(error)) => {
                *self = Self::Unsubscribed;
                Poll::Ready(HintNews::Refused(error))
            }
        }
    }

    /// Makes a call while the subscription goes on. A subscription that stopped half-way could keep
    /// what the call needs, such as a connection.
    pub(crate) async fn beside<T>(&mut self, call: impl Future<Output = T>) -> T {
        let mut call = pin!(call);
        poll_fn(|context| {
            // A subscription that was refused is asked for again with the next claim.
            let _ = self.poll_subscription(context);
            call.as_mut().poll(context)
        })
        .await
    }

    /// The next hint, or why there is none.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<HintNews> {
        if let Poll::Ready(refused) = self.poll_subscription(context) {
            return Poll::Ready(refused);
        }
        let Self::Listening(hints) = self else { return Poll::Pending };
        let hint = ready!(hints.poll_next_unpin(context));
        if hint.is_none() {
            *self = Self::Unsubscribed;
        }
        Poll::Ready(hint.map_or(HintNews::Ended, HintNews::Hint))
    }

    /// Forgets the hints that have come by now. A call that is sent after this finds the jobs that
    /// they are about.
    pub(crate) fn forget(&mut self) {
        if let Self::Listening(hints) = self {
            let mut forgotten = 0;
            while forgotten < FORGOTTEN_MAX && matches!(hints.next().now_or_never(), Some(Some(_))) {
                forgotten += 1;
            }
        }
    }

    /// Waits for the next hint, or for why there is none. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> HintNews {
        poll_fn(|context| self.poll(context)).await
    }
}

fn unanswered() -> Error {
    Error::new(ErrorKind::Unavailable, "subscribe", "the store did not answer; claims go on without hints")
}
