use crate::{
    InvalidOption, JobOptions, Queue,
    client::{
        IdKey, Shared, checked_span,
        enqueue_hooks::{EnqueueHooks, Refusal},
    },
};
use queue_core::{
    Error, IdSource, Kind, NewJob, QueueName, Result, Rng, Storage, SystemRng, TimeOrderedIds, WorkerId,
    lifecycle::Policy,
};
use queue_serde::Codec;
use std::{
    marker::PhantomData,
    sync::{Arc, Mutex},
    time::Duration,
};

/// The default lease of a delivery.
const LEASE: Duration = Duration::from_secs(30);

/// Makes a [`Queue`] with other than the default parts. Everything is checked in
/// [`build`](Self::build).
#[derive(Debug)]
#[must_use]
pub struct QueueBuilder<P, R> {
    storage: Arc<dyn Storage>,
    name: String,
    codec: Option<Arc<dyn Codec>>,
    options: JobOptions,
    hooks: EnqueueHooks,
    policy: Policy,
    ids: Option<Arc<dyn IdSource>>,
    id_key: Option<Result<IdKey, InvalidOption>>,
    rng: Arc<dyn Rng>,
    lease: Duration,
    types: PhantomData<fn(P) -> R>,
}

impl<P, R> QueueBuilder<P, R> {
    pub(crate) fn new(storage: Arc<dyn Storage>, name: &str) -> Self {
        Self {
            storage,
            name: name.to_owned(),
            // JSON or none: never another format, so that enabling a feature somewhere changes no
            // format elsewhere.
            #[cfg(feature = "json")]
            codec: Some(Arc::new(queue_serde::Json)),
            #[cfg(not(feature = "json"))]
            codec: None,
            options: JobOptions::new(),
            hooks: EnqueueHooks::default(),
            policy: Policy::default(),
            ids: None,
            id_key: None,
            rng: Arc::new(SystemRng),
            lease: LEASE,
            types: PhantomData,
        }
    }

    /// How payloads and results are encoded; default JSON. Producers and workers of a queue use the
    /// same.
    pub fn codec(mut self, codec: impl Codec) -> Self {
        self.codec = Some(Arc::new(codec));
        self
    }

    /// What holds for every job of this handle, unless its own options say otherwise.
    pub fn options(mut self, options: JobOptions) -> Self {
        self.options = options;
        self
    }

    /// Has every job looked at before it is stored, whichever way this handle and its clones
    /// enqueue it: one, many, in a transaction, or as a follower made by [`Queue::new_job`]. The
    /// hook may change the job, such as its priority or its id, or refuse it; what it changes is
    /// checked by the store as if it had been enqueued so. A [`Codec`] that binds its bytes to the
    /// job has written them by then, for the id and the kind that it had. Several hooks go in the
    /// order of adding. It runs in the caller's task: keep it short, and do not block.
    ///
    #[cfg_attr(all(feature = "memory", feature = "json"), doc = "```")]
    #[cfg_attr(not(all(feature = "memory", feature = "json")), doc = "```ignore")]
    /// use queue::{ErrorKind, Queue};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
    /// let mails: Queue<String> = Queue::builder(queue::open("memory:").await?, "mails")
    ///     .before_enqueue(|_, job| {
    ///         if job.payload.bytes.len() > 10_000 {
    ///             return Err("a mail has at most 10,000 bytes".into());
    ///         }
    ///         job.priority = if job.kind.as_str() == "newsletter" { 10 } else { 0 };
    ///         Ok(())
    ///     })
    ///     .build()?;
    /// mails.enqueue("a", "short".to_owned()).await?;
    /// let refused = mails.enqueue("b", "long ".repeat(5_000)).await.unwrap_err();
    /// assert_eq!(refused.kind(), ErrorKind::Invalid);
    /// # Ok(()) }
    /// ```
    ///
    /// A refusal is an error of kind `Invalid` before anything is written, of many jobs too; the
    /// hook's error is its [`source`](std::error::Error::source). What looks at jobs around their
    /// execution is `worker::Hook`.
    pub fn before_enqueue(
        mut self,
        hook: impl Fn(&QueueName, &mut NewJob) -> Result<(), Refusal> + Send + Sync + 'static,
    ) -> Self {
        self.hooks.add(hook);
        self
    }

    /// How long jobs wait after a failure or a stall that this handle decides on:
    /// [`Delivery::nack`] and the rescue that goes with [`Queue::dequeue`].
    ///
    /// [`Delivery::nack`]: crate::Delivery::nack
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// How long a delivery is leased until it is extended; more than zero, default 30 seconds.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// Where generated ids come from; default [`TimeOrderedIds`].
    pub fn ids(mut self, ids: Arc<dyn IdSource>) -> Self {
        self.ids = Some(ids);
        self
    }

    /// Makes ids of content with a key: then nobody who sees an id can find its payload by trying.
    /// At least 16 bytes; best 32 that are kept where the key of the codec is. All producers of a
    /// queue use the same key, since the same payload has another id under another: while a key is
    /// replaced, equal work may be enqueued twice. Default: none.
    ///
    #[cfg_attr(all(feature = "memory", feature = "json"), doc = "```")]
    #[cfg_attr(not(all(feature = "memory", feature = "json")), doc = "```ignore")]
    /// use queue::prelude::*;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
    /// let store = open("memory:").await?;
    /// let salaries: Queue<u32> = Queue::builder(store, "salaries").id_key([7; 32]).build()?; // from a secret
    /// let first = salaries.enqueue(Id::OfContent, 52_000).await?;
    /// assert!(!salaries.enqueue(Id::OfContent, 52_000).await?.is_new());
    /// # let _ = first;
    /// # Ok(()) }
    /// ```
    pub fn id_key(mut self, key: impl AsRef<[u8]>) -> Self {
        self.id_key = Some(IdKey::new(key.as_ref()));
        self
    }

    /// Where lease tokens, jitter and the name of this holder come from; default the operating
    /// system.
    pub fn rng(mut self, rng: Arc<dyn Rng>) -> Self {
        self.rng = rng;
        self
    }

    /// The handle.
    ///
    /// # Errors
    /// `Invalid` for a bad name, bad default options, a short key or a lease of zero, and if there
    /// is no codec: give one, or enable the feature `json`.
    pub fn build(self) -> Result<Queue<P, R>> {
        self.options.validate()?;
        if self.options.time_of_day().is_some() {
            return Err(InvalidOption::TimeOfDay.into());
        }
        if self.lease.is_zero() {
            return Err(InvalidOption::NotPositive { what: "a lease" }.into());
        }
        let no_codec = || Error::invalid("build", "no codec: give one, or enable the feature `json`");
        let shared = Shared {
            storage: self.storage,
            name: QueueName::new(self.name)?,
            codec: self.codec.ok_or_else(no_codec)?,
            options: self.options,
            hooks: self.hooks,
            policy: self.policy,
            id_key: self.id_key.transpose()?,
            ids: self.ids.unwrap_or_else(|| Arc::new(TimeOrderedIds::default())),
            worker: fresh_worker(&*self.rng),
            rng: self.rng,
            lease: checked_span("a lease", self.lease)?,
            rescued_at: Mutex::default(),
            claims: Mutex::default(),
        };
        Ok(Queue::from_shared(shared, Kind::unnamed()))
    }
}

/// Fresh for each handle, so that a lease can be told from one of a former process.
fn fresh_worker(rng: &dyn Rng) -> WorkerId {
    WorkerId::new(format!("client-{:032x}", rng.next_u128())).expect("39 plain characters are a valid name")
}
