use futures_util::{TryStreamExt, stream};
use queue::{
    Decode, Delivery, Encode, Enqueued, Failure, Id, JobOptions, Keep, Policy, Prune, Queue, Result,
    RetryPolicy, Span, Storage,
};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// How long an acknowledged message is remembered, so that one who acknowledges too late is told so.
const REMEMBERED: Duration = Duration::from_mins(1);
/// The longest wait of one claim; the loops then claim again.
const WAIT: Duration = Duration::from_mins(1);
/// Records removed in one call.
const PRUNE_MAX: usize = 1000;

/// Messages with visibility timeout. See the [module](crate::visibility).
///
/// A message comes back, without end, until it is acknowledged. Acknowledging, refusing and extending are methods of the
/// [`Delivery`], which holds the proof of the claim; each answers whether its caller is still the holder.
#[derive(Clone, Debug)]
pub struct Visibility<P> {
    queue: Queue<P>,
}

impl<P> Visibility<P> {
    /// A handle on the queue of this name, whose claims hide a message for `timeout`.
    ///
    /// # Errors
    /// `Invalid` for a bad name or a timeout of zero.
    pub fn new(store: Arc<dyn Storage>, name: &str, timeout: Duration) -> Result<Self> {
        let at_once = || RetryPolicy::Fixed(Span::ZERO);
        let policy = Policy { retry: at_once(), stall: at_once(), ..Policy::default() };
        let options =
            JobOptions::new().unlimited_attempts().unlimited_stalls().keep_completed(Keep::For(REMEMBERED));
        let queue = Queue::builder(store, name).options(options).policy(policy).lease(timeout).build()?;
        Ok(Self { queue })
    }

    /// How many messages there are, hidden ones included.
    pub async fn len(&self) -> Result<u64> {
        Ok(self.queue.counts().await?.unfinished())
    }

    /// Whether there is none.
    pub async fn is_empty(&self) -> Result<bool> {
        Ok(self.len().await? == 0)
    }

    /// Removes all messages, hidden ones too: their holders are told that they are gone.
    pub async fn purge(&self) -> Result<()> {
        while self.queue.prune(Prune::Everything, PRUNE_MAX).await? == PRUNE_MAX as u64 {}
        Ok(())
    }
}

impl<P: Encode> Visibility<P> {
    /// Stores a message. With an id of its own it is there once, however many publish it.
    pub async fn publish(&self, id: impl Into<Id>, message: P) -> Result<Enqueued<()>> {
        self.queue.enqueue(id, message).await
    }
}

impl<P: Decode> Visibility<P> {
    /// Takes the oldest visible message, waiting for one.
    pub async fn claim(&self, wait: Duration) -> Result<Option<Delivery<P>>> {
        self.queue.dequeue(wait).await
    }

    /// Takes up to `limit` visible messages, waiting for the first.
    pub async fn claim_batch(&self, limit: usize, wait: Duration) -> Result<Vec<Delivery<P>>> {
        self.queue.dequeue_many(limit, wait).await
    }

    /// Handles messages one by one until `stop` fires. See [`run_batch`](Self::run_batch).
    pub async fn run<F, Fut>(&self, stop: &CancellationToken, handler: F) -> Result<()>
    where
        F: Fn(Arc<Delivery<P>>) -> Fut,
        Fut: Future<Output = Result<(), Failure>>,
    {
        self.run_batch(stop, 1, 1, handler).await
    }

    /// Claims up to `batch` messages at a time and handles up to `concurrency` at once, until `stop` fires; then handlers
    /// that run are waited for, and messages that have not been begun are given back. A success acknowledges the message, a
    /// failure makes it visible again.
    ///
    /// # Errors
    /// The first of the store, which ends it: what was claimed and not settled becomes visible again after the timeout. So
    /// do the messages of a dropped future.
    pub async fn run_batch<F, Fut>(
        &self,
        stop: &CancellationToken,
        batch: usize,
        concurrency: usize,
        handler: F,
    ) -> Result<()>
    where
        F: Fn(Arc<Delivery<P>>) -> Fut,
        Fut: Future<Output = Result<(), Failure>>,
    {
        while let Some(claimed) = self.claimed_unless(stop, batch.max(1)).await? {
            let messages = stream::iter(claimed.into_iter().map(Ok));
            messages.try_for_each_concurrent(concurrency.max(1), |it| handle(stop, &handler, it)).await?;
        }
        Ok(())
    }

    async fn claimed_unless(
        &self,
        stop: &CancellationToken,
        batch: usize,
    ) -> Result<Option<Vec<Delivery<P>>>> {
        tokio::select! {
            biased;
            () = stop.cancelled() => Ok(None),
            claimed = self.claim_batch(batch, WAIT) => claimed.map(Some),
        }
    }
}

/// Whether the message was still held is told to whoever asks; a loop goes on either way.
async fn handle<P, F, Fut>(stop: &CancellationToken, handler: &F, message: Delivery<P>) -> Result<()>
where
    F: Fn(Arc<Delivery<P>>) -> Fut,
    Fut: Future<Output = Result<(), Failure>>,
{
    let message = Arc::new(message);
    let _settled = if stop.is_cancelled() {
        message.release().await?
    } else {
        match handler(message.clone()).await {
            Ok(()) => message.ack(&()).await?,
            Err(failure) => message.nack(failure).await?,
        }
    };
    Ok(())
}
