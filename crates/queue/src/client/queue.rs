//! The typed handle on one queue.

use super::enqueue_hooks::EnqueueHooks;
use crate::{JobOptions, OtherKind, QueueBuilder, client::IdKey, pull::Claims};
use parking_lot::Mutex;
use queue_core::{
    Error, IdSource, JobId, JobKind, JobMeta, Kind, Payload, QueueName, Result, Rng, Span, Storage,
    UnreadableWaits, WorkerId, lifecycle::Policy,
};
use queue_serde::{Codec, CodecContext, CodecError, Decode, Role};
use std::{fmt, marker::PhantomData, sync::Arc};
use tokio::time::Instant;

/// A typed handle on one queue, whose jobs have payloads `P` and results `R`.
///
/// A handle is cheap to clone. Two handles with one name on one store are the same queue, in this
/// process or another. The code that opened the store also closes it. `P` and `R` need
/// [`Encode`](crate::Encode) or [`Decode`] only for the methods that use them; every serde type has
/// both.
///
/// # Dropped futures
/// Every method can be cancelled by dropping its future. A dropped read leaves nothing behind. A
/// dropped write has happened as a whole or not at all. A dropped [`dequeue`](Self::dequeue) gives
/// back the jobs that it still claims.
///
/// # Errors
/// `Invalid` means that the request was refused before anything was written, and the message says
/// how to correct it. The cause is the error's [`source`](std::error::Error::source):
/// [`InvalidOption`](crate::InvalidOption), [`InvalidName`](crate::InvalidName), [`OtherKind`] or
/// [`CodecError`].
/// All other kinds of errors come from the store. A duplicate, a missing job and a lost lease are
/// answers, not errors.
pub struct Queue<P, R = ()> {
    pub(crate) shared: Arc<Shared>,
    /// The kind of the jobs that this handle enqueues.
    kind: Kind,
    types: PhantomData<fn(P) -> R>,
}

/// The state that all clones of a handle, and its deliveries, have in common.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) name: QueueName,
    pub(crate) codec: Arc<dyn Codec>,
    pub(crate) id_key: Option<IdKey>,
    pub(crate) options: JobOptions,
    pub(crate) hooks: EnqueueHooks,
    pub(crate) policy: Policy,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) rng: Arc<dyn Rng>,
    pub(crate) worker: WorkerId,
    pub(crate) lease: Span,
    /// When pull mode last looked for lapsed leases.
    pub(crate) rescued_at: Mutex<Option<Instant>>,
    /// What pull mode knows for its next claim.
    pub(crate) claims: Mutex<Claims>,
    /// What pull mode could not read of the library's own.
    pub(crate) unreadable: UnreadableWaits,
}

impl<P, R> Queue<P, R> {
    /// A handle with JSON and default options. A queue of the library itself, whose name begins
    /// with `queue.` or `leader:`, can be looked at and changed through it; enqueues and claims are
    /// refused.
    ///
    /// # Errors
    /// `Invalid` for a name that is not 1 to 255 bytes without control characters.
    #[cfg(feature = "json")]
    pub fn new(storage: Arc<dyn Storage>, name: impl AsRef<str>) -> Result<Self> {
        Self::builder(storage, name).build()
    }

    /// A builder for a handle with its own codec, options or sources of ids and randomness.
    pub fn builder(storage: Arc<dyn Storage>, name: impl AsRef<str>) -> QueueBuilder<P, R> {
        QueueBuilder::new(storage, name.as_ref())
    }

    pub(crate) fn from_shared(shared: Shared, kind: Kind) -> Self {
        Self { shared: Arc::new(shared), kind, types: PhantomData }
    }

    /// A handle on the same queue for jobs of one kind, with the payload and the result of that
    /// kind. The jobs that it enqueues have this kind, and a worker's
    /// [`Router`](crate::worker::Router) that handles the same constant takes exactly these types.
    ///
    /// Ids belong to the queue and not to the kind. An enqueue, a wait or a read of a payload or
    /// result under an id that a job of another kind has is refused as [`OtherKind`].
    ///
    #[cfg_attr(all(feature = "worker", feature = "memory", feature = "json"), doc = "```")]
    #[cfg_attr(not(all(feature = "worker", feature = "memory", feature = "json")), doc = "```ignore")]
    /// use queue::prelude::*;
    ///
    /// const GREET: JobKind<String> = JobKind::new("greet");
    /// const ADD: JobKind<(u32, u32), u32> = JobKind::new("add");
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
    /// let tasks: Queue<()> = Queue::new(open("memory:").await?, "tasks")?;
    /// tasks.of(GREET).enqueue("greet-ada", "ada@example.org".to_owned()).await?;
    /// tasks.of(ADD).enqueue("add-42", (20, 22)).await?;
    ///
    /// let router = Router::new(())
    ///     .handle(GREET, |name, _| async move { Ok(println!("hello, {name}")) })?
    ///     .handle(ADD, |(a, b), _| async move { Ok(a + b) })?;
    /// assert_eq!(tasks.worker(router).until_idle().build()?.run().await.completed, 2);
    /// assert_eq!(tasks.of(ADD).result("add-42").await?, Some(42));
    /// # Ok(()) }
    /// ```
    ///
    /// A payload of another kind does not compile:
    #[cfg_attr(all(feature = "memory", feature = "json"), doc = "```compile_fail,E0308")]
    #[cfg_attr(not(all(feature = "memory", feature = "json")), doc = "```ignore")]
    /// # use queue::{JobKind, Queue};
    /// const ADD: JobKind<(u32, u32), u32> = JobKind::new("add");
    ///
    /// async fn add(tasks: &Queue<()>) -> queue::Result<()> {
    ///     tasks.of(ADD).enqueue("add-42", "twenty and twenty-two").await?;
    ///     Ok(())
    /// }
    /// ```
    pub fn of<P2, R2>(&self, kind: JobKind<P2, R2>) -> Queue<P2, R2> {
        Queue { shared: self.shared.clone(), kind: kind.into(), types: PhantomData }
    }

    /// A handle on the same queue for jobs of a kind whose name is known only when the program
    /// runs, with the types of this handle.
    #[must_use]
    pub fn of_kind(&self, kind: Kind) -> Self {
        Self { shared: self.shared.clone(), kind, types: PhantomData }
    }

    /// The kind of the jobs that this handle enqueues: `default`, unless it is [of](Self::of)
    /// another kind.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Whether this handle is for jobs of one kind. One without a kind reads jobs of every kind.
    pub(crate) fn is_of_a_kind(&self) -> bool {
        self.kind != Kind::unnamed()
    }

    /// The kind that the jobs of this handle have when they are read; `None` for one without a
    /// kind, and for one whose hooks may give its jobs other kinds.
    pub(crate) fn kind_of_its_jobs(&self) -> Option<&Kind> {
        (self.is_of_a_kind() && self.shared.hooks.is_empty()).then_some(&self.kind)
    }

    /// Refuses a job that was read and is of another kind.
    pub(crate) fn check_kind(&self, operation: &'static str, found: &JobMeta) -> Result<()> {
        self.kind_of_its_jobs().map_or(Ok(()), |kind| OtherKind::check(operation, found, kind))
    }

    /// The name of the queue.
    pub fn name(&self) -> &QueueName {
        &self.shared.name
    }

    /// The store, for operations that this client does not offer.
    pub fn storage(&self) -> &Arc<dyn Storage> {
        &self.shared.storage
    }

    /// The codec of payloads and results.
    pub fn codec(&self) -> &Arc<dyn Codec> {
        &self.shared.codec
    }
}

impl Shared {
    /// The context of bytes that belong to a job of this queue.
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

    /// The same for a caller who asked about one job: the error says of which job the bytes are.
    pub(crate) fn read<T: Decode>(&self, payload: &Payload, context: &CodecContext<'_>) -> Result<T> {
        let CodecContext { kind, id, role, .. } = *context;
        self.decode(payload, context).map_err(|error| {
            let message = format!("the {} of {id:?}, of the kind {kind:?}: {error}", role.as_str());
            Error::invalid("decode", message).with_source(error)
        })
    }
}

impl<P, R> Clone for Queue<P, R> {
    fn clone(&self) -> Self {
        Self { shared: self.shared.clone(), kind: self.kind.clone(), types: PhantomData }
    }
}

impl<P, R> fmt::Debug for Queue<P, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, kind) = (&self.shared.name, &self.kind);
        f.debug_struct("Queue").field("name", name).field("kind", kind).finish_non_exhaustive()
    }
}
