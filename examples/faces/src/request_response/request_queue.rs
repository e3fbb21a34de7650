//! The request queue itself: submit, request, response and cancel for producers, and the consumer's
//! worker.

use queue::{
    Change, Decode, Encode, Enqueued, JobOptions, Keep, Kind, MsgPack, OnProcessing, Policy, Queue, Result,
    Status, Storage, WaitError,
    worker::{Context, JobError, RescueTick, WorkerBuilder, runtime::PacedLoop},
};
use std::{sync::Arc, time::Duration};

/// The kind of every request.
const KIND: &str = "request";

/// Requests `P` that are answered with `R`. See the [module](crate::request_response).
///
/// A handle is a producer. It becomes a consumer by running what [`consumer`](Self::consumer)
/// makes, and is both if it does both. Requests and responses are encoded as `MessagePack`; both
/// sides must use the same codec.
#[derive(Clone, Debug)]
pub struct RequestQueue<P, R> {
    queue: Queue<P, R>,
}

impl<P, R> RequestQueue<P, R> {
    /// A handle on the queue of this name.
    ///
    /// # Errors
    /// `Invalid` for a bad name.
    pub fn new(store: Arc<dyn Storage>, name: &str) -> Result<Self> {
        let queue = Queue::builder(store, name).codec(MsgPack).build()?;
        Ok(Self { queue: queue.of_kind(Kind::from_static(KIND)) })
    }

    /// How a request stands; `None` if there is none of this id, or its response is no longer kept.
    pub async fn status(&self, id: &str) -> Result<Option<Status>> {
        self.queue.status(id).await
    }

    /// Takes a request back. One that is being answered is asked to stop.
    pub async fn cancel(&self, id: &str) -> Result<Change> {
        self.queue.cancel_with(id, OnProcessing::Request).await
    }

    /// Keeps a response for another time, counted from now.
    ///
    /// # Errors
    /// `Invalid` for a time of zero.
    pub async fn keep(&self, id: &str, ttl: Duration) -> Result<Change> {
        self.queue.set_retention(id, ttl).await
    }

    /// Gives requests back whose consumer has died, for processes that run no consumer. Consumers
    /// do it by themselves, and any number of recoverers may run at once: each lapse is charged
    /// once.
    ///
    /// # Errors
    /// `Invalid` for an interval of zero.
    pub fn recoverer(&self, interval: Duration) -> Result<PacedLoop<RescueTick>> {
        let (store, name) = (self.queue.storage().clone(), self.queue.name().clone());
        let rescue = RescueTick::new(store, name, Policy::default());
        PacedLoop::builder(rescue)
            .interval(interval)
            .max_idle_interval(interval)
            .immediate_first_tick()
            .build()
    }

    /// The same queue, for taking requests one by one without a consumer.
    pub fn queue(&self) -> &Queue<P, R> {
        &self.queue
    }
}

impl<P: Encode, R: Decode> RequestQueue<P, R> {
    /// Stores a request and returns at once; its response is kept for `ttl` after it is there. A
    /// request of the same id that is present already is not stored again, and its response comes
    /// with the answer.
    ///
    /// # Errors
    /// `Invalid` for a bad id, or a time to live of zero.
    pub async fn submit(&self, id: &str, request: P, ttl: Duration) -> Result<Enqueued<R>> {
        self.queue.enqueue_with(id, request, kept(ttl)).await
    }

    /// Stores a request and waits for its response, or finds it. Sent again under the same id it
    /// attaches to the first.
    ///
    /// # Errors
    /// Typed: the request failed, was cancelled, or was not answered within `deadline`. Then it may
    /// still be; ask again.
    pub async fn request(
        &self,
        id: &str,
        request: P,
        ttl: Duration,
        deadline: Duration,
    ) -> Result<R, WaitError> {
        self.queue.enqueue_and_wait_with(id, request, kept(ttl), deadline).await
    }

    /// Waits for the response to a request that was stored before.
    ///
    /// # Errors
    /// As [`request`](Self::request), and `Unknown` if there is no such request.
    pub async fn response(&self, id: &str, deadline: Duration) -> Result<R, WaitError> {
        self.queue.wait(id, deadline).await?.into_result()
    }
}

impl<P, R> RequestQueue<P, R>
where
    P: Decode + Send + 'static,
    R: Encode + Send + 'static,
{
    /// A consumer: a worker that answers requests with `handler`. Stopping it lets those under way
    /// be answered.
    ///
    /// # Errors
    /// None: the kind is valid and has one handler.
    pub fn consumer<F, Fut>(&self, handler: F) -> Result<WorkerBuilder>
    where
        F: Fn(P, Context<()>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, JobError>> + Send + 'static,
    {
        Ok(self.queue.work_with(handler))
    }
}

fn kept(ttl: Duration) -> JobOptions {
    JobOptions::new().keep(Keep::For(ttl))
}
