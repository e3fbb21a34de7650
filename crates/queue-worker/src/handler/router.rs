//! Picks the handler of a job by its kind.

use super::{Context, JobError, JobHandler, blocking_handler::BlockingHandler, typed_handler::TypedHandler};
use crate::{batches::BatchEnd, runtime::Handler};
use futures_util::future::{BoxFuture, ready};
use queue_core::{Error, FailedJob, Failure, Kind, NamesKind, Payload, Result, lifecycle::Cause};
use queue_serde::{Codec, CodecError, Decode, Encode, Json};
use std::{any::TypeId, collections::HashMap, fmt, future::Future, sync::Arc, time::Duration};

/// Picks the handler of a job by its kind, and decodes its payload.
///
/// ```
/// use queue_core::JobKind;
/// use queue_worker::Router;
///
/// const GREET: JobKind<String, String> = JobKind::new("greet");
///
/// struct App { greeting: String }
///
/// let router = Router::new(App { greeting: "hello".into() })
///     .handle(GREET, |name, context| async move { Ok(format!("{}, {name}", context.state().greeting)) })?;
/// # Ok::<(), queue_core::Error>(())
/// ```
///
/// A handler of other types than its kind has does not compile:
///
/// ```compile_fail,E0271
/// # use queue_core::JobKind;
/// # use queue_worker::Router;
/// const GREET: JobKind<String, String> = JobKind::new("greet");
///
/// let router = Router::new(()).handle(GREET, |name, _| async move { Ok(name.len()) })?;
/// # Ok::<(), queue_core::Error>(())
/// ```
pub struct Router<S = ()> {
    state: Arc<S>,
    codecs: Codecs,
    by_kind: HashMap<Kind, Arc<JobHandler>>,
    fallback: Option<Arc<JobHandler>>,
    time_limits: HashMap<Kind, Duration>,
}

/// The formats that handlers read. The first also stands for payloads in a format that none reads.
#[derive(Clone, Debug)]
pub(super) struct Codecs(Arc<Vec<Arc<dyn Codec>>>);

impl<S: Send + Sync + 'static> Router<S> {
    /// A router of JSON payloads with the application's state, which every handler gets with its
    /// [context](Context::state).
    pub fn new(state: S) -> Self {
        Self::with_codec(state, Json)
    }

    /// A router of payloads that another codec reads.
    pub fn with_codec(state: S, codec: impl Codec) -> Self {
        Self {
            state: Arc::new(state),
            codecs: Codecs::only(codec),
            by_kind: HashMap::new(),
            fallback: None,
            time_limits: HashMap::new(),
        }
    }

    /// Reads payloads of a further format too. A result is written in the format of its job's
    /// payload. The setting applies to handlers that are added afterwards.
    #[must_use]
    pub fn codec(mut self, codec: impl Codec) -> Self {
        self.codecs = self.codecs.with(codec);
        self
    }

    /// Runs `handler` for jobs of a kind, with the payload decoded and the result encoded. A
    /// payload or result of type [`Raw`](queue_serde::Raw) stays as it is.
    ///
    /// A [`JobKind`](queue_core::JobKind) says what the handler takes and returns. For a kind by
    /// its name the handler says so itself, as in
    /// `.handle("greet", |name: String, _| async move { Ok(name.len()) })`.
    ///
    /// The handler shares its thread with all other tasks of the runtime. One that blocks the
    /// thread belongs into [`handle_blocking`](Self::handle_blocking).
    ///
    /// A handler that takes a [`FailedJob`] reads the JSON of jobs that follow a failure, under all
    /// codecs.
    ///
    /// # Errors
    /// `Invalid` for a kind that is no valid name, is [reserved](Kind::is_reserved), or has a
    /// handler already.
    pub fn handle<P, R, F, Fut>(self, kind: impl NamesKind<P, R>, handler: F) -> Result<Self>
    where
        P: Decode + Send + 'static,
        R: Encode + Send + 'static,
        F: Fn(P, Context<S>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, JobError>> + Send + 'static,
    {
        let handler = self.typed(handler);
        self.route(kind, handler)
    }

    /// Runs a function that blocks its thread, such as a computation or a library without `async`,
    /// on one of tokio's threads for blocking work, of which there are 512 unless the runtime says
    /// otherwise.
    ///
    /// Nothing can end such a function but itself, so it should look at [`Context::cancel_reason`]
    /// now and then. At its time limit the context asks it to stop, and the answer is judged when
    /// it returns.
    ///
    /// At the end of a shutdown, when other handlers are dropped and their jobs given back, the job
    /// of such a function keeps its lease until that lapses, which charges a stall. So no second
    /// attempt starts beside it as long as the lease lasts. The worker reports the job as abandoned
    /// and ends, and tokio waits for the thread when the runtime is dropped.
    ///
    /// ```
    /// use queue_worker::{JobError, Router};
    ///
    /// let router = Router::new(()).handle_blocking("sum", |to: u64, job| {
    ///     let mut sum = 0_u64;
    ///     for n in 0..=to {
    ///         if job.cancel_reason().is_some() {
    ///             return Err(JobError::release());
    ///         }
    ///         sum += n;
    ///     }
    ///     Ok(sum)
    /// })?;
    /// # Ok::<(), queue_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`handle`](Self::handle).
    pub fn handle_blocking<P, R, F>(self, kind: impl NamesKind<P, R>, handler: F) -> Result<Self>
    where
        P: Decode + Send + 'static,
        R: Encode + Send + 'static,
        F: Fn(P, Context<S>) -> Result<R, JobError> + Send + Sync + 'static,
    {
        let handler = Arc::new(BlockingHandler::new(self.codecs.clone(), self.state.clone(), handler));
        self.route(kind, handler)
    }

    fn route(mut self, kind: impl AsRef<str>, handler: Arc<JobHandler>) -> Result<Self> {
        let kind = Kind::new(kind)?;
        if kind.is_reserved() {
            let message = format!("the kind {kind:?} is reserved: every worker has its handler already");
            return Err(Error::invalid("route", message));
        }
        if self.by_kind.contains_key(&kind) {
            return Err(Error::invalid("route", format!("the kind {kind:?} has a handler already")));
        }
        self.by_kind.insert(kind, handler);
        Ok(self)
    }

    /// Runs `handler` for jobs of all kinds that have no handler.
    #[must_use]
    pub fn fallback<P, R, F, Fut>(mut self, handler: F) -> Self
    where
        P: Decode + Send + 'static,
        R: Encode + Send + 'static,
        F: Fn(P, Context<S>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, JobError>> + Send + 'static,
    {
        self.fallback = Some(self.typed(handler));
        self
    }

    /// Sets how long a handler of jobs of a kind may run, in place of the worker's default; see
    /// [`WorkerBuilder::time_limit`](crate::WorkerBuilder::time_limit) for what happens at the
    /// limit. It holds for the fallback too. The limit that a job was enqueued with and
    /// [`Context::set_time_limit`] come before it.
    ///
    /// # Errors
    /// `Invalid` for a kind that is no valid name, and for a limit of zero.
    pub fn time_limit(mut self, kind: impl AsRef<str>, limit: Duration) -> Result<Self> {
        if limit.is_zero() {
            return Err(Error::invalid("route", "a time limit must be longer than zero"));
        }
        self.time_limits.insert(Kind::new(kind)?, limit);
        Ok(self)
    }

    fn typed<P, R, F, Fut>(&self, handler: F) -> Arc<JobHandler>
    where
        P: Decode + Send + 'static,
        R: Encode + Send + 'static,
        F: Fn(P, Context<S>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, JobError>> + Send + 'static,
    {
        Arc::new(TypedHandler::new(self.codecs.clone(), self.state.clone(), handler))
    }
}

impl<S: Send + Sync + 'static> Handler<Context> for Router<S> {
    type Output = Payload;
    type Error = JobError;

    /// Calls the handler of the kind. It is written without `async_trait`, so that the handler's
    /// future is not boxed twice.
    fn handle<'r, 'h>(&'r self, context: Context) -> BoxFuture<'h, Result<Payload, JobError>>
    where
        'r: 'h,
        Self: 'h,
    {
        let kind = &context.meta().kind;
        if let Some(limit) = self.time_limits.get(kind) {
            context.set_time_limit_of_kind(*limit);
        }
        match self.by_kind.get(kind).or(self.fallback.as_ref()) {
            Some(handler) => handler.handle(context),
            None => Box::pin(ready(Err(unknown_kind(kind)))),
        }
    }

    /// The kinds in order, or `None` where a fallback takes all others.
    fn kinds(&self) -> Option<Vec<String>> {
        let mut kinds: Vec<_> = self.by_kind.keys().map(ToString::to_string).collect();
        kinds.sort();
        self.fallback.is_none().then_some(kinds)
    }
}

/// Whether payloads of this type are made where no codec is known, so that they are JSON in every
/// queue: a [`FailedJob`] or a [`BatchEnd`].
pub(super) fn is_made_here<P: 'static>() -> bool {
    TypeId::of::<P>() == TypeId::of::<FailedJob>() || BatchEnd::is::<P>()
}

impl Codecs {
    fn only(codec: impl Codec) -> Self {
        Self(Arc::new(vec![Arc::new(codec)]))
    }

    fn with(&self, codec: impl Codec) -> Self {
        let mut codecs = (*self.0).clone();
        codecs.push(Arc::new(codec));
        Self(Arc::new(codecs))
    }

    /// The codec that reads a payload, with whether its type [is made here](is_made_here). No other
    /// payload is read as JSON unless a codec says so: where a codec proves who wrote the bytes,
    /// plain JSON would get around it.
    pub(super) fn for_reading(&self, payload: &Payload, is_made_here: bool) -> &dyn Codec {
        if is_made_here && payload.content_type == Json.content_type() {
            &Json
        } else {
            self.for_payload(payload)
        }
    }

    /// The codec for the result and the progress of a job: the one that reads its payload, or else
    /// the first, whose error says what it expected.
    pub(super) fn for_payload(&self, payload: &Payload) -> &dyn Codec {
        let reads = |codec: &&Arc<dyn Codec>| codec.content_type() == payload.content_type;
        &**self.0.iter().find(reads).unwrap_or(&self.0[0])
    }
}

pub(super) fn undecodable(error: &CodecError) -> JobError {
    JobError::failed(error.undecodable(), Cause::Undecodable)
}

fn unknown_kind(kind: &Kind) -> JobError {
    let jobs = if *kind == Kind::unnamed() {
        "jobs without a kind (\"default\")".to_owned()
    } else {
        format!("jobs of the kind {kind:?}")
    };
    let message = format!("this worker has no handler for {jobs}");
    JobError::failed(Failure::new("UnknownKind", message), Cause::UnknownKind)
}

impl<S> fmt::Debug for Router<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut kinds: Vec<_> = self.by_kind.keys().collect();
        kinds.sort();
        f.debug_struct("Router").field("kinds", &kinds).field("codecs", &self.codecs).finish_non_exhaustive()
    }
}
