//! The builder of a queue handle: its codec, default options, hooks, policy and sources.

use crate::{
    InvalidOption, JobOptions, Queue,
    client::{
        IdKey, Shared, checked_span,
        enqueue_hooks::{EnqueueHooks, Refusal},
    },
};
use parking_lot::Mutex;
use queue_core::{
    Error, IdSource, Kind, NewJob, QueueName, Result, Rng, Storage, SystemRng, TimeOrderedIds,
    UnreadableWaits, WorkerId, lifecycle::Policy,
};
use queue_serde::Codec;
use std::{marker::PhantomData, sync::Arc, time::Duration};

/// The default lease of a delivery in pull mode.
const LEASE: Duration = Duration::from_secs(30);

/// Makes a [`Queue`] with other parts than the default ones. [`build`](Self::build) checks all of
/// them.
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
            // The default is JSON or no codec, never another format, so that a feature that is
            // enabled elsewhere does not change the format here.
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

    /// Sets the codec of payloads and results; default JSON. Producers and workers of a queue must
    /// use the same codec.
    pub fn codec(mut self, codec: impl Codec) -> Self {
        self.codec = Some(Arc::new(codec));
        self
    }

    /// Sets the default options for every job of this handle; a job's own options take precedence.
    pub fn options(mut self, options: JobOptions) -> Self {
        self.options = options;
        self
    }

    /// Adds a hook that sees every job before it is stored, however this handle and its clones
    /// enqueue it: alone, in a batch, in a transaction, or as a follower made by
    /// [`Queue::new_job`]. The hook may refuse the job, or change it, such as its priority or its
    /// id; the store checks the changed job. A [`Codec`] that binds its bytes to the job has
    /// written them before, for the id and the kind that the job had. Several hooks run in the
    /// order of adding. A hook runs in the caller's task: keep it short, and do not block.
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
    /// A refusal is an error of the kind `Invalid` before anything is written, also for a batch;
    /// the hook's error is its [`source`](std::error::Error::source). For hooks around the
    /// execution of jobs there is `worker::Hook`.
    pub fn before_enqueue(
        mut self,
        hook: impl Fn(&QueueName, &mut NewJob) -> Result<(), Refusal> + Send + Sync + 'static,
    ) -> Self {
        self.hooks.add(hook);
        self
    }

    /// Sets how long jobs wait after a failure or a stall that this handle decides on:
    /// [`Delivery::nack`] and the rescue that goes with [`Queue::dequeue`].
    ///
    /// [`Delivery::nack`]: crate::Delivery::nack
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Sets the lease of a delivery; more than zero, default 30 seconds. A claim is listened for at
    /// most two thirds of it: under a lease of 3 s, [`Queue::dequeue`] gives a store up after 2 s.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// Sets the source of generated ids; default [`TimeOrderedIds`].
    pub fn ids(mut self, ids: Arc<dyn IdSource>) -> Self {
        self.ids = Some(ids);
        self
    }

    /// Sets a key for ids of content, so that a payload cannot be found from its id by trying
    /// without the key. The key has at least 16 bytes; use 32, and keep them where you keep the key
    /// of the codec. All producers of a queue must use the same key, since the same payload has
    /// another id under another key: while a key is replaced, equal work may be enqueued twice.
    /// Default: no key.
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

    /// Sets the source of lease tokens, jitter and the name of this holder; default the operating
    /// system.
    pub fn rng(mut self, rng: Arc<dyn Rng>) -> Self {
        self.rng = rng;
        self
    }

    /// Checks the parts and makes the handle.
    ///
    /// # Errors
    /// `Invalid` for a bad name, bad default options, a short key or a lease of zero, and if there
    /// is no codec: set one, or enable the feature `json`.
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
            unreadable: UnreadableWaits::default(),
        };
        Ok(Queue::from_shared(shared, Kind::unnamed()))
    }
}

/// A worker id that is fresh for each handle, so that a lease can be distinguished from one of a
/// former process.
fn fresh_worker(rng: &dyn Rng) -> WorkerId {
    WorkerId::new(format!("client-{:032x}", rng.next_u128())).expect("39 plain characters are a valid name")
}
