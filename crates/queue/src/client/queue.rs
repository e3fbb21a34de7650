use crate::{JobOptions, QueueBuilder, client::IdKey, pull::Claims};
use queue_core::{
    IdSource, JobId, Kind, Payload, QueueName, Result, Rng, Span, Storage, WorkerId, lifecycle::Policy,
};
use queue_serde::{Codec, CodecContext, CodecError, Decode, Role};
use std::{
    fmt,
    marker::PhantomData,
    sync::{Arc, Mutex},
};
use tokio::time::Instant;

/// A typed handle on one queue: jobs with payload `P` that leave results `R`.
///
/// Cheap to clone. Two handles of one name on one store are the same queue, in this process or another; closing the
/// store is up to whoever opened it. Types meet bytes at the edge alone, so `P` and `R` need
/// [`Encode`](crate::Encode) or [`Decode`] only where a method uses them: every serde type has both.
///
/// # Dropped futures
/// Every method may be cancelled by dropping its future. A read leaves nothing behind; a write may have happened or
/// not, but never by half; [`dequeue`](Self::dequeue) gives back what it claims too late.
///
/// # Errors
/// `Invalid` says that the request was refused before anything was written, and how to mend it; the cause is the
/// error's [`source`](std::error::Error::source): [`InvalidOption`](crate::InvalidOption),
/// [`InvalidName`](crate::InvalidName) or [`CodecError`]. All other kinds come from the store. A duplicate, a missing job
/// and a lost lease are answers.
pub struct Queue<P, R = ()> {
    pub(crate) shared: Arc<Shared>,
    types: PhantomData<fn(P) -> R>,
}

/// What all clones of a handle, and the deliveries it gave out, have in common.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) name: QueueName,
    pub(crate) codec: Arc<dyn Codec>,
    pub(crate) id_key: Option<IdKey>,
    pub(crate) options: JobOptions,
    pub(crate) policy: Policy,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) rng: Arc<dyn Rng>,
    pub(crate) worker: WorkerId,
    pub(crate) lease: Span,
    /// When pull mode last looked for lapsed leases.
    pub(crate) rescued_at: Mutex<Option<Instant>>,
    /// What pull mode knows for its next claim.
    pub(crate) claims: Mutex<Claims>,
}

impl<P, R> Queue<P, R> {
    /// A handle with JSON and default options.
    ///
    /// # Errors
    /// `Invalid` for a name that is not 1 to 255 bytes without control characters.
    #[cfg(feature = "json")]
    pub fn new(storage: Arc<dyn Storage>, name: impl AsRef<str>) -> Result<Self> {
        Self::builder(storage, name).build()
    }

    /// A handle with a codec, options or sources of one's own.
    pub fn builder(storage: Arc<dyn Storage>, name: impl AsRef<str>) -> QueueBuilder<P, R> {
        QueueBuilder::new(storage, name.as_ref())
    }

    pub(crate) fn from_shared(shared: Shared) -> Self {
        Self { shared: Arc::new(shared), types: PhantomData }
    }

    /// The same handle for jobs of other types, since the kinds of one queue may differ in their payloads and results.
    ///
    /// ```
    /// # #[cfg(all(feature = "memory", feature = "json"))] {
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime").block_on(async {
    /// use queue::{JobOptions, Queue};
    ///
    /// let emails: Queue<String> = Queue::new(queue::open("memory:").await?, "tasks")?;
    /// let sums: Queue<(u32, u32), u32> = emails.with_types();
    /// let _ = emails.enqueue_with("greet", "ada@example.org".to_owned(), JobOptions::new().kind("email")).await?;
    /// let _ = sums.enqueue_with("sum", (20, 22), JobOptions::new().kind("sum")).await?;
    /// assert_eq!(emails.counts().await?.total(), 2);
    /// # Ok::<(), queue::Error>(())
    /// # }).expect("enqueues");
    /// # }
    /// ```
    pub fn with_types<P2, R2>(&self) -> Queue<P2, R2> {
        Queue { shared: self.shared.clone(), types: PhantomData }
    }

    /// The name of the queue.
    pub fn name(&self) -> &QueueName {
        &self.shared.name
    }

    /// The store, for what this client does not offer.
    pub fn storage(&self) -> &Arc<dyn Storage> {
        &self.shared.storage
    }

    /// How payloads and results are encoded.
    pub fn codec(&self) -> &Arc<dyn Codec> {
        &self.shared.codec
    }
}

impl Shared {
    /// Of bytes that belong to a job of this queue.
    pub(crate) fn context<'a>(&'a self, kind: &'a Kind, id: &'a JobId, role: Role) -> CodecContext<'a> {
        CodecContext::new(&self.name, kind, id, role)
    }

    pub(crate) fn decode<T: Decode>(
        &self,
        payload: &Payload,
        context: &CodecContext<'_>,
    ) -> Result<T, CodecError> {
        T::decode(payload, &self.codec, context)
    }
}

impl<P, R> Clone for Queue<P, R> {
    fn clone(&self) -> Self {
        Self { shared: self.shared.clone(), types: PhantomData }
    }
}

impl<P, R> fmt::Debug for Queue<P, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("name", &self.shared.name).finish_non_exhaustive()
    }
}
