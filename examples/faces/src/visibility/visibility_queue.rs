//! The messages with visibility timeout: publish, claim and purge.

use queue::{
    Decode, Delivery, Encode, Enqueued, Exponential, Id, JobOptions, Keep, Policy, Prune, Queue, Result,
    RetryPolicy, Storage,
};
use std::{sync::Arc, time::Duration};

/// How long an acknowledged message is remembered, so that an acknowledgement that comes too late
/// gets that answer.
const REMEMBERED: Duration = Duration::from_mins(1);
/// Records removed in one call.
const PRUNE_MAX: usize = 1000;

/// Messages with visibility timeout. See the [module](crate::visibility).
///
/// A message comes back, without end, until it is acknowledged. Acknowledging, refusing and
/// extending are methods of the [`Delivery`], which holds the proof of the claim; each answers
/// whether its caller is still the holder.
#[derive(Clone, Debug)]
pub struct Visibility<P> {
    queue: Queue<P>,
    /// The same messages for the loops, where a message that fails waits before it is visible
    /// again.
    pub(super) looped: Queue<P>,
    pub(super) timeout: Duration,
}

impl<P> Visibility<P> {
    /// A handle on the queue of this name, whose claims hide a message for `timeout`.
    ///
    /// # Errors
    /// `Invalid` for a bad name or a timeout of zero.
    pub fn new(store: Arc<dyn Storage>, name: &str, timeout: Duration) -> Result<Self> {
        let queue = handle(store.clone(), name, timeout, at_once())?;
        Ok(Self { queue, looped: handle(store, name, timeout, backoff())?, timeout })
    }

    /// How many messages there are, hidden ones included.
    pub async fn len(&self) -> Result<u64> {
        Ok(self.queue.counts().await?.unfinished())
    }

    /// Whether there is none.
    pub async fn is_empty(&self) -> Result<bool> {
        Ok(self.len().await? == 0)
    }

    /// Removes all messages, hidden ones too: their holders get the answer that they were removed.
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
}

/// A handle on the messages of which one that fails waits like that.
fn handle<P>(
    store: Arc<dyn Storage>,
    name: &str,
    timeout: Duration,
    retry: impl Into<RetryPolicy>,
) -> Result<Queue<P>> {
    let options =
        JobOptions::new().unlimited_attempts().unlimited_stalls().keep_completed(Keep::For(REMEMBERED));
    let policy = Policy::default().retry(retry).stall(at_once());
    Queue::builder(store, name).options(options).policy(policy).lease(timeout).build()
}

fn at_once() -> RetryPolicy {
    RetryPolicy::Fixed(Duration::ZERO)
}

/// The waits of a message that keeps failing in a loop: one second, doubling up to ten minutes.
fn backoff() -> Exponential {
    RetryPolicy::exponential(Duration::from_secs(1)).cap(Duration::from_mins(10))
}
