use crate::{Budget, Headers, JobId, Kind, Payload, RetentionPolicy, Span, Tags};

/// A job to be enqueued. Every part is validated by its type; the store checks the payload's size.
///
/// ```
/// use queue_core::{ContentType, JobId, Kind, NewJob, Payload, Span};
///
/// let payload = Payload::new("{}", ContentType::from_static("application/json"));
/// let job = NewJob::new(JobId::new("welcome-42")?, Kind::from_static("email"), payload)
///     .with_priority(-5)
///     .with_delay(Span::from_secs(60));
/// assert_eq!(job.priority, -5);
/// # Ok::<(), queue_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewJob {
    /// Its identity within the queue, which is also its deduplication key.
    pub id: JobId,
    /// What it asks for.
    pub kind: Kind,
    /// What the handler gets.
    pub payload: Payload,
    /// What the handler gets beside it; default none.
    pub headers: Headers,
    /// What it is found by; default none.
    pub tags: Tags,
    /// Lower is claimed first; default 0.
    pub priority: i16,
    /// Not claimed before this has passed; default zero.
    pub delay: Span,
    /// It is Cancelled with [`Reason::Expired`](crate::Reason::Expired), uncharged, unless it has started by then;
    /// default `None`, never. Counted from the enqueue and not from when it is due, so it must be longer than the delay.
    pub expires_in: Option<Span>,
    /// How long a worker lets its handler run, in place of the kind's limit or the worker's own; default `None`.
    pub time_limit: Option<Span>,
    /// Failures until Failed; default [`Budget::ATTEMPTS`], 25.
    pub max_attempts: Budget,
    /// Lapsed leases until Failed; default [`Budget::STALLS`], 3.
    pub max_stalls: Budget,
    /// How long it stays once terminal; by default one hour if Completed, seven days if Failed or Cancelled.
    pub retention: RetentionPolicy,
    /// What a present Failed record of the same id means; default: it blocks.
    pub on_failed: OnFailed,
    /// What a job of the same id that waits means; default: it blocks. A job that may replace one cannot also expire.
    pub on_waiting: OnWaiting,
    /// The kind of the job to be enqueued in the step in which this one becomes Failed, whoever ends it; default `None`. Its
    /// payload is a [`FailedJob`](crate::FailedJob), its id [`FailedJob::follow_up_id`](crate::FailedJob::follow_up_id).
    pub on_failure: Option<Kind>,
    /// The producer waits for the outcome.
    pub awaited: bool,
}

/// What enqueueing over a waiting job of the same id does. A job that runs always keeps its id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnWaiting {
    /// Answers that the id is taken.
    #[default]
    Block,
    /// Begins a new life in its place, with the new payload, options and delay. It keeps the time at which the first of
    /// them was enqueued: that is what `max_wait` counts from.
    Replace {
        /// Due at the latest so long after the first of these jobs was enqueued; `None` is no bound.
        max_wait: Option<Span>,
    },
}

/// What enqueueing over a Failed record of the same id does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnFailed {
    /// Answers that the id is taken, until the record is purged.
    #[default]
    Block,
    /// Begins a new life in its place.
    Replace,
}

impl NewJob {
    /// A job with default options.
    pub fn new(id: JobId, kind: Kind, payload: Payload) -> Self {
        Self {
            id,
            kind,
            payload,
            headers: Headers::NONE,
            tags: Tags::NONE,
            priority: 0,
            delay: Span::ZERO,
            expires_in: None,
            time_limit: None,
            max_attempts: Budget::ATTEMPTS,
            max_stalls: Budget::STALLS,
            retention: RetentionPolicy::default(),
            on_failed: OnFailed::Block,
            on_waiting: OnWaiting::Block,
            on_failure: None,
            awaited: false,
        }
    }

    /// Sets the headers.
    #[must_use]
    pub fn with_headers(mut self, headers: Headers) -> Self {
        self.headers = headers;
        self
    }

    /// Sets the tags.
    #[must_use]
    pub fn with_tags(mut self, tags: Tags) -> Self {
        self.tags = tags;
        self
    }

    /// Sets the priority; lower is claimed first.
    #[must_use]
    pub fn with_priority(mut self, priority: i16) -> Self {
        self.priority = priority;
        self
    }

    /// Sets how long it must wait before it may be claimed.
    #[must_use]
    pub fn with_delay(mut self, delay: Span) -> Self {
        self.delay = delay;
        self
    }

    /// Sets how long after the enqueue it is given up if it has not started: longer than the delay.
    #[must_use]
    pub fn with_expires_in(mut self, span: Span) -> Self {
        self.expires_in = Some(span);
        self
    }

    /// Sets how long its handler may run.
    #[must_use]
    pub fn with_time_limit(mut self, limit: Span) -> Self {
        self.time_limit = Some(limit);
        self
    }

    /// Sets how many failures make it Failed.
    #[must_use]
    pub fn with_max_attempts(mut self, budget: Budget) -> Self {
        self.max_attempts = budget;
        self
    }

    /// Sets how many lapsed leases make it Failed.
    #[must_use]
    pub fn with_max_stalls(mut self, budget: Budget) -> Self {
        self.max_stalls = budget;
        self
    }

    /// Sets how long it stays once terminal.
    #[must_use]
    pub fn with_retention(mut self, retention: impl Into<RetentionPolicy>) -> Self {
        self.retention = retention.into();
        self
    }

    /// Sets what a Failed record of the same id means.
    #[must_use]
    pub fn with_on_failed(mut self, on_failed: OnFailed) -> Self {
        self.on_failed = on_failed;
        self
    }

    /// Sets what a waiting job of the same id means.
    #[must_use]
    pub fn with_on_waiting(mut self, on_waiting: OnWaiting) -> Self {
        self.on_waiting = on_waiting;
        self
    }

    /// Sets the kind of the job that follows if this one fails for good.
    #[must_use]
    pub fn with_on_failure(mut self, kind: Kind) -> Self {
        self.on_failure = Some(kind);
        self
    }

    /// Marks that the producer waits for the outcome.
    #[must_use]
    pub fn awaited(mut self) -> Self {
        self.awaited = true;
        self
    }
}
