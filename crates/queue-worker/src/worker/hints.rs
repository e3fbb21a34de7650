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

/// A subscription without an answer is given up then, and asked for again with the next claim.
const SUBSCRIBE_MAX: Duration = Duration::from_secs(30);

/// Hints that are forgotten at a time; a stream may have any number of them. What is left costs a claim too many.
const FORGOTTEN_MAX: u32 = 16;

/// Hints of one queue, which save time and are never waited for: claims go on while a subscription has no answer.
#[derive(Default)]
pub(crate) enum Hints {
    #[default]
    Silent,
    Subscribing(BoxFuture<'static, Result<EventStream>>),
    Listening(EventStream),
}

/// What hints came to.
#[derive(Debug)]
pub(crate) enum Heard {
    /// There may be something to claim.
    Hint(Hint),
    /// No more come. The next subscription may bring some.
    Ended,
    /// The store takes no subscription now.
    Refused(Error),
}

impl Hints {
    /// Subscribes, unless that is done or under way. A store that answers at once is heard from then on, so that nothing
    /// enqueued after a claim that follows goes unnoticed. A later answer counts as a hint, for the same reason.
    ///
    /// # Errors
    /// Those of the store, if it answers at once.
    pub(crate) fn subscribe(&mut self, storage: &Arc<dyn Storage>, queue: &QueueName) -> Result<()> {
        if !matches!(self, Self::Silent) {
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

    /// Brings a subscription on, so that one that nobody needs now does not rest half-way.
    pub(crate) fn poll_subscription(&mut self, context: &mut Context<'_>) -> Poll<Heard> {
        let Self::Subscribing(subscribing) = self else { return Poll::Pending };
        match subscribing.poll_unpin(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Ok(hints)) => {
                *self = Self::Listening(stream::iter([Hint::Missed]).chain(hints).boxed());
                Poll::Pending
            }
            Poll::Ready(Err(error)) => {
                *self = Self::Silent;
                Poll::Ready(Heard::Refused(error))
            }
        }
    }

    /// Makes a call while the subscription goes on: one that rested half-way could keep what the call needs, such as a
    /// connection.
    pub(crate) async fn beside<T>(&mut self, call: impl Future<Output = T>) -> T {
        let mut call = pin!(call);
        poll_fn(|context| {
            // One that was refused is asked for again with the next claim.
            let _ = self.poll_subscription(context);
            call.as_mut().poll(context)
        })
        .await
    }

    /// The next hint, or why there is none.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Heard> {
        if let Poll::Ready(refused) = self.poll_subscription(context) {
            return Poll::Ready(refused);
        }
        let Self::Listening(hints) = self else { return Poll::Pending };
        let hint = ready!(hints.poll_next_unpin(context));
        if hint.is_none() {
            *self = Self::Silent;
        }
        Poll::Ready(hint.map_or(Heard::Ended, Heard::Hint))
    }

    /// Forgets the hints that have come by now: whatever they are about is found by a call that is sent after this.
    pub(crate) fn forget(&mut self) {
        if let Self::Listening(hints) = self {
            let mut forgotten = 0;
            while forgotten < FORGOTTEN_MAX && matches!(hints.next().now_or_never(), Some(Some(_))) {
                forgotten += 1;
            }
        }
    }

    /// The same for one who waits. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> Heard {
        poll_fn(|context| self.poll(context)).await
    }
}

fn unanswered() -> Error {
    Error::new(ErrorKind::Unavailable, "subscribe", "the store did not answer; claims go on without hints")
}
