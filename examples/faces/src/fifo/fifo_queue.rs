//! The FIFO itself: enqueue, dequeue with a visibility timeout, and acknowledgement by id.

use futures_util::{StreamExt, TryStreamExt};
use parking_lot::{Mutex, MutexGuard};
use queue::{
    Delivery, Id, JobId, JobMeta, JobOptions, Policy, Queue, Result, RetryPolicy, Settled, Status, Storage,
};
use serde_json::Value;
use std::{collections::HashMap, sync::Arc, time::Duration};
use tokio::time::Instant;

/// A FIFO of JSON values with visibility timeout. See the [module](crate::fifo).
///
/// It remembers the deliveries that it gave out, each with its lease token, so that
/// [`ack`](Self::ack) can take a bare id and yet change nothing for a task that another holder has.
#[derive(Debug)]
pub struct Fifo {
    queue: Queue<Value>,
    visibility: Duration,
    held: Mutex<HashMap<JobId, HiddenDelivery>>,
}

/// A task that was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct TakenTask {
    /// For acknowledging it.
    pub id: JobId,
    /// What was enqueued.
    pub payload: Value,
    /// How often it was taken, this time included.
    pub attempt: u32,
}

/// What an acknowledgement did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Ack {
    /// The task is done and will not come back.
    Done,
    /// This handle does not hold that task, or no longer does. Nothing was changed.
    NotHeld,
}

/// A delivery, and when it is forgotten.
#[derive(Debug)]
struct HiddenDelivery {
    delivery: Arc<Delivery<Value>>,
    until: Instant,
}

impl Fifo {
    /// A handle on the queue of this name. A task that it gives out is hidden from all callers for
    /// `visibility`, which must be longer than zero, and comes back to its old place if it was not
    /// acknowledged by then.
    ///
    /// # Errors
    /// `Invalid` for a bad name or visibility.
    pub fn new(store: Arc<dyn Storage>, name: &str, visibility: Duration) -> Result<Self> {
        // However often a task came back, it does so at once.
        let policy = Policy::default().stall(RetryPolicy::Fixed(Duration::ZERO));
        let options = JobOptions::new().unlimited_stalls();
        let queue = Queue::builder(store, name).options(options).policy(policy).lease(visibility).build()?;
        Ok(Self { queue, visibility, held: Mutex::default() })
    }

    /// Stores a task behind all others, and answers its id once it is durable.
    pub async fn enqueue(&self, payload: Value) -> Result<JobId> {
        Ok(self.queue.enqueue(Id::Generated, payload).await?.id().clone())
    }

    /// Takes the oldest visible task, if there is one.
    pub async fn dequeue(&self) -> Result<Option<TakenTask>> {
        self.dequeue_within(Duration::ZERO).await
    }

    /// Takes the oldest visible task, waiting for one. Dropping the future takes none.
    pub async fn dequeue_within(&self, wait: Duration) -> Result<Option<TakenTask>> {
        let Some(delivery) = self.queue.dequeue(wait).await? else { return Ok(None) };
        let task = TakenTask {
            id: delivery.id().clone(),
            payload: delivery.payload().clone(),
            attempt: delivery.attempt(),
        };
        self.remember(delivery);
        Ok(Some(task))
    }

    /// Marks a task as done that this handle took. After an error it may be sent again.
    pub async fn ack(&self, id: &str) -> Result<Ack> {
        let held = self.held().get(id).map(|held| held.delivery.clone());
        let Some(delivery) = held else { return Ok(Ack::NotHeld) };
        let settled = delivery.ack(&()).await?;
        self.forget(&delivery);
        Ok(match settled {
            Settled::Done => Ack::Done,
            Settled::LeaseLost | Settled::Missing => Ack::NotHeld,
        })
    }

    /// How many tasks are not done, taken ones included.
    pub async fn size(&self) -> Result<u64> {
        Ok(self.queue.counts().await?.unfinished())
    }

    /// Tasks that wait to be taken, oldest first, at most `limit`.
    pub async fn pending(&self, limit: usize) -> Result<Vec<JobMeta>> {
        let waiting = self.queue.jobs().queued().failing();
        waiting.all().map_ok(|status| status.meta).take(limit).try_collect().await
    }

    /// How a task stands; done ones are remembered for an hour.
    ///
    /// # Errors
    /// `Invalid` for text that is no id.
    pub async fn status(&self, id: &str) -> Result<Option<Status>> {
        self.queue.status(id).await
    }

    /// Those that came back to the queue by now are forgotten, so that what is never acknowledged
    /// does not pile up here.
    fn remember(&self, delivery: Delivery<Value>) {
        let now = Instant::now();
        let mut held = self.held();
        held.retain(|_, held| now < held.until);
        let id = delivery.id().clone();
        held.insert(id, HiddenDelivery { delivery: Arc::new(delivery), until: now + self.visibility });
    }

    /// A newer delivery of the same task stays.
    fn forget(&self, delivery: &Arc<Delivery<Value>>) {
        self.held().retain(|_, held| !Arc::ptr_eq(&held.delivery, delivery));
    }

    fn held(&self) -> MutexGuard<'_, HashMap<JobId, HiddenDelivery>> {
        self.held.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queue::{MemoryStorage, worker::TokioClock};
    use serde_json::json;

    const MINUTE: Duration = Duration::from_mins(1);

    #[tokio::test(start_paused = true)]
    async fn what_came_back_to_the_queue_is_forgotten() {
        let store = Arc::new(MemoryStorage::with_clock(Arc::new(TokioClock::default())));
        let fifo = || Fifo::new(store.clone(), "q", MINUTE).expect("valid");
        let (ours, theirs) = (fifo(), fifo());
        for _ in 0..20 {
            ours.enqueue(json!("work")).await.expect("stored");
            ours.dequeue().await.expect("claims").expect("visible");
            tokio::time::sleep(MINUTE).await;
            let task = theirs.dequeue().await.expect("claims").expect("visible again");
            assert_eq!(theirs.ack(task.id.as_str()).await.expect("answers"), Ack::Done);
        }
        assert_eq!((ours.held().len(), theirs.held().len()), (1, 0));
    }
}
