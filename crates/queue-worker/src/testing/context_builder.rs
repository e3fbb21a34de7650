//! Makes the context of a job that a test made up.

use super::TestContext;
use crate::{CancelReason, Context, worker::HeldJob};
use queue_core::{
    ClaimedJob, Clock, Headers, JobBody, JobId, JobMeta, JobRecord, Kind, LeaseInfo, LeaseToken, ManualClock,
    NewJob, Payload, QueueName, Seq, Span, State, WorkerId,
};
use queue_serde::{Codec, CodecContext, Encode, Json, Role};
use std::{sync::Arc, time::Duration};

/// How long the made-up lease lasts.
const LEASE: Span = Span::from_secs(30);

/// Starts to make a context as a worker would give it to a handler. By default it is of the first
/// attempt at a job of the kind `default`, called `test`.
///
/// ```
/// use queue_worker::{Context, JobError, testing::context};
///
/// async fn greet(name: String, job: Context) -> Result<String, JobError> {
///     if job.attempt() == 1 {
///         return Err(JobError::named("Busy", "try again"));
///     }
///     job.report_progress(&50)?;
///     Ok(format!("hello, {name}"))
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(async {
/// let first = context().build();
/// assert!(greet("Ada".to_owned(), first.context()).await.is_err());
///
/// let second = context().attempt(2).build();
/// assert_eq!(greet("Ada".to_owned(), second.context()).await.expect("greets"), "hello, Ada");
/// assert_eq!(second.progress::<u32>(), Some(50));
/// # });
/// ```
pub fn context() -> ContextBuilder {
    ContextBuilder::new()
}

/// Makes a [`TestContext`]; see [`context`]. Methods that take a name panic if it is not valid, so
/// that a test fails at once.
#[derive(Debug)]
#[must_use]
pub struct ContextBuilder<S = ()> {
    meta: JobMeta,
    payload: Payload,
    headers: Headers,
    epoch: Option<u64>,
    reason: Option<CancelReason>,
    state: S,
}

impl ContextBuilder {
    fn new() -> Self {
        let payload = Payload::new("null", Json.content_type());
        let job = NewJob::new(JobId::from_static("test"), Kind::unnamed(), payload.clone());
        let meta =
            JobMeta::begin(QueueName::from_static("test"), &job, Seq::new(1), ManualClock::default().now());
        Self { meta, payload, headers: Headers::NONE, epoch: None, reason: None, state: () }
    }
}

impl<S> ContextBuilder<S> {
    /// The queue of the job.
    ///
    /// # Panics
    /// If the name is not valid.
    pub fn queue(mut self, name: &str) -> Self {
        self.meta.queue = QueueName::new(name).expect("the name of the queue is valid");
        self
    }

    /// The id of the job.
    ///
    /// # Panics
    /// If the id is not valid.
    pub fn id(mut self, id: &str) -> Self {
        self.meta.id = JobId::new(id).expect("the id is valid");
        self
    }

    /// The kind of the job.
    ///
    /// # Panics
    /// If the kind is not valid.
    pub fn kind(mut self, kind: &str) -> Self {
        self.meta.kind = Kind::new(kind).expect("the kind is valid");
        self
    }

    /// The number of the attempt, from one. All attempts before it have failed.
    ///
    /// # Panics
    /// If it is zero.
    pub fn attempt(mut self, attempt: u32) -> Self {
        self.meta.failures = attempt.checked_sub(1).expect("attempts are counted from one");
        self
    }

    /// How often the job was claimed, which with its `seq` is the fencing number. By default it was
    /// claimed once for each attempt.
    pub fn epoch(mut self, epoch: u64) -> Self {
        self.epoch = Some(epoch);
        self
    }

    /// The payload that [`Context::payload`] shows, encoded as JSON; `null` by default. It is for
    /// [`TestContext::run`]: a typed handler that is called as a function gets its payload from the
    /// call.
    ///
    /// # Panics
    /// If JSON cannot hold it.
    pub fn payload(mut self, payload: &impl Encode) -> Self {
        self.payload = payload
            .encode(&Json, &CodecContext::of(&self.meta, Role::Payload))
            .expect("JSON holds the payload");
        self
    }

    /// The time limit that the job was enqueued with.
    ///
    /// # Panics
    /// If it is longer than a hundred years.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.meta.terms.time_limit =
            Some(Span::new("a time limit", limit).expect("the time limit is short enough"));
        self
    }

    /// The headers of the job, in place of those that were given before.
    pub fn headers(mut self, headers: Headers) -> Self {
        self.headers = headers;
        self
    }

    /// Asks the handler to stop before it begins. To ask while it runs, use
    /// [`TestContext::cancel`].
    pub fn cancelled(mut self, reason: CancelReason) -> Self {
        self.reason = Some(reason);
        self
    }

    /// The application's state, as a router has it.
    pub fn state<T>(self, state: T) -> ContextBuilder<T> {
        let Self { meta, payload, headers, epoch, reason, state: _ } = self;
        ContextBuilder { meta, payload, headers, epoch, reason, state }
    }

    /// Changes other metadata of the job, such as its priority or the time of its enqueue.
    pub fn meta(mut self, change: impl FnOnce(&mut JobMeta)) -> Self {
        change(&mut self.meta);
        self
    }

    /// Makes the context.
    pub fn build(self) -> TestContext<S> {
        let held = Arc::new(HeldJob::of_test(self.claimed()));
        if let Some(reason) = self.reason {
            held.cancel(reason);
        }
        TestContext(Context::of_test(held, self.state))
    }

    /// The job as a store would answer it to the claim of a worker.
    fn claimed(&self) -> ClaimedJob {
        let mut meta = self.meta.clone();
        meta.epoch = self.epoch.unwrap_or_else(|| meta.attempt().into());
        meta.state = State::Processing;
        let worker = WorkerId::new("test").expect("the name is valid");
        meta.lease = Some(LeaseInfo { worker, expires_at: meta.run_at + LEASE });
        meta.claimed_at = Some(meta.run_at);
        let (payload, headers) = (self.payload.clone(), self.headers.clone());
        let body = JobBody { payload, headers, result: None, error_details: None, end_signals: Vec::new() };
        let token = LeaseToken::from_bytes(u128::from(meta.epoch).to_be_bytes());
        ClaimedJob { record: JobRecord { meta, body: Some(body) }, token }
    }
}
