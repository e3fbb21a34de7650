//! A job as a producer makes it, before a store has accepted it.

use crate::{
    Budget, EndSignal, Headers, JobBody, JobId, JobMeta, JobTerms, Kind, NewGate, OnFailed, OnWaiting,
    Partition, Payload, RetentionPolicy, SharedTerms, Span, Tags,
};

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
pub struct NewJob {
    /// The id within the queue, which is also the deduplication key.
    pub id: JobId,
    /// The kind, which selects the handler.
    pub kind: Kind,
    /// The input of the handler.
    pub payload: Payload,
    /// The headers that the handler gets beside the payload; default none.
    pub headers: Headers,
    /// The tags by which listings find the job; default none.
    pub tags: Tags,
    /// The priority; lower is claimed first; default 0.
    pub priority: i16,
    /// How long the job waits until it may be claimed; default zero.
    pub delay: Span,
    /// How long the job may wait for its start; default `None`, for ever. A job that has not
    /// started by then is Cancelled with [`Reason::Expired`](crate::Reason::Expired), uncharged.
    /// The time counts from the enqueue and not from the due time, so it must be longer than the
    /// delay.
    pub expires_in: Option<Span>,
    /// What was agreed about the job, and what no store looks at.
    pub terms: SharedTerms,
    /// What the enqueue does if there is a Failed record of the same id; by default the record
    /// blocks it.
    pub on_failed: OnFailed,
    /// What the enqueue does if a job of the same id waits; by default that job blocks it. A job
    /// that may replace another cannot expire.
    pub on_waiting: OnWaiting,
    /// The producer waits for the outcome.
    pub awaited: bool,
    /// The gate behind which the job waits; default none. A job with one has neither a delay nor a
    /// time at which it expires, and replaces no waiting job. Only a store with
    /// [gates](crate::Limits::gates) takes it.
    pub gate: Option<NewGate>,
    /// What the job sends to others when it ends; default none, and at most
    /// [`END_SIGNALS_MAX`](crate::END_SIGNALS_MAX), no two of them to one job. A job with any
    /// replaces no waiting job, its record blocks the id under all options of a later job, and is
    /// kept until its retention is set, so that a repeated enqueue is a duplicate.
    pub end_signals: Vec<EndSignal>,
    /// The partition of the queue in which the job takes its turn, for its whole life; default
    /// none. Only a store with [partitions](crate::Limits::partitions) takes it.
    pub partition: Option<Partition>,
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
            terms: SharedTerms::default(),
            on_failed: OnFailed::Block,
            on_waiting: OnWaiting::Block,
            awaited: false,
            gate: None,
            end_signals: Vec::new(),
            partition: None,
        }
    }

    /// The job as it was enqueued, from its record, to enqueue it once more. A record does not
    /// keep what concerned its own enqueue alone, so the job is due at once, replaces no other,
    /// is not awaited, and has neither a gate nor end signals.
    ///
    /// ```
    /// use queue_core::{ContentType, JobBody, JobId, JobMeta, Kind, NewJob, Payload, QueueName, Seq, Timestamp};
    ///
    /// let payload = Payload::new("{}", ContentType::from_static("application/json"));
    /// let new = NewJob::new(JobId::new("welcome-42")?, Kind::from_static("email"), payload).with_priority(-5);
    /// let meta = JobMeta::begin(QueueName::new("mail")?, &new, Seq::new(1), Timestamp::default());
    /// assert_eq!(NewJob::of(&meta, &JobBody::begin(new.clone())), new);
    /// # Ok::<(), queue_core::Error>(())
    /// ```
    pub fn of(meta: &JobMeta, body: &JobBody) -> Self {
        Self {
            id: meta.id.clone(),
            kind: meta.kind.clone(),
            payload: body.payload.clone(),
            headers: body.headers.clone(),
            tags: meta.tags.clone(),
            priority: meta.priority,
            delay: Span::ZERO,
            expires_in: meta.expires_in,
            terms: meta.terms.clone(),
            on_failed: OnFailed::Block,
            on_waiting: OnWaiting::Block,
            awaited: false,
            gate: None,
            end_signals: Vec::new(),
            partition: meta.partition.clone(),
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

    /// Sets how long the job waits until it may be claimed.
    #[must_use]
    pub fn with_delay(mut self, delay: Span) -> Self {
        self.delay = delay;
        self
    }

    /// Sets how long after the enqueue the job expires if it has not started; must be longer than
    /// the delay.
    #[must_use]
    pub fn with_expires_in(mut self, span: Span) -> Self {
        self.expires_in = Some(span);
        self
    }

    /// Sets how long the handler may run.
    #[must_use]
    pub fn with_time_limit(self, limit: Span) -> Self {
        self.with_terms(|terms| terms.time_limit = Some(limit))
    }

    /// Sets the number of failures at which the job is Failed.
    #[must_use]
    pub fn with_max_attempts(self, budget: Budget) -> Self {
        self.with_terms(|terms| terms.max_attempts = budget)
    }

    /// Sets the number of lapsed leases at which the job is Failed.
    #[must_use]
    pub fn with_max_stalls(self, budget: Budget) -> Self {
        self.with_terms(|terms| terms.max_stalls = budget)
    }

    /// Sets how long the record is kept once the job is terminal.
    #[must_use]
    pub fn with_retention(self, retention: impl Into<RetentionPolicy>) -> Self {
        self.with_terms(|terms| terms.retention = retention.into())
    }

    /// Sets what the enqueue does if there is a Failed record of the same id.
    #[must_use]
    pub fn with_on_failed(mut self, on_failed: OnFailed) -> Self {
        self.on_failed = on_failed;
        self
    }

    /// Sets what the enqueue does if a job of the same id waits.
    #[must_use]
    pub fn with_on_waiting(mut self, on_waiting: OnWaiting) -> Self {
        self.on_waiting = on_waiting;
        self
    }

    /// Sets the kind of the job that is enqueued if this one fails for good.
    #[must_use]
    pub fn with_on_failure(self, kind: Kind) -> Self {
        self.with_terms(|terms| terms.on_failure = Some(kind))
    }

    /// Plain terms stay without memory of their own, also if one is set to what it is.
    fn with_terms(mut self, change: impl FnOnce(&mut JobTerms)) -> Self {
        let mut terms = (*self.terms).clone();
        change(&mut terms);
        self.terms = terms.into();
        self
    }

    /// Sets the gate behind which the job waits.
    #[must_use]
    pub fn with_gate(mut self, gate: NewGate) -> Self {
        self.gate = Some(gate);
        self
    }

    /// Sets what the job sends to others when it ends.
    #[must_use]
    pub fn with_end_signals(mut self, signals: impl IntoIterator<Item = EndSignal>) -> Self {
        self.end_signals = signals.into_iter().collect();
        self
    }

    /// Sets the partition in which the job takes its turn.
    #[must_use]
    pub fn with_partition(mut self, partition: Partition) -> Self {
        self.partition = Some(partition);
        self
    }

    /// Whether it has a gate or end signals.
    pub fn has_gates(&self) -> bool {
        self.gate.is_some() || !self.end_signals.is_empty()
    }

    /// Whether it is to raise another job, so that its enqueue can end in
    /// [`Enqueued::Orphaned`](crate::Enqueued::Orphaned).
    pub fn raises(&self) -> bool {
        self.end_signals.iter().any(|signal| signal.raises)
    }

    /// Marks that the producer waits for the outcome.
    #[must_use]
    pub fn awaited(mut self) -> Self {
        self.awaited = true;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ContentType, QueueName, Seq, Tag, Timestamp};

    #[test]
    fn a_job_comes_back_from_its_record_without_what_concerned_its_enqueue_alone() {
        let payload = Payload::new("1", ContentType::from_static("text/plain"));
        let again = NewJob {
            headers: Headers::new([("tenant", "7")]).expect("a header"),
            tags: Tags::new([Tag::new("night").expect("a tag")]).expect("one tag"),
            priority: -3,
            expires_in: Some(Span::from_secs(50)),
            terms: JobTerms { max_attempts: Budget::from_raw(2), ..JobTerms::default() }.into(),
            partition: Some(Partition::from_static("acme")),
            ..NewJob::new(JobId::from_static("a"), Kind::from_static("report"), payload)
        };
        let enqueued = NewJob {
            delay: Span::from_secs(4),
            on_failed: OnFailed::Replace,
            on_waiting: OnWaiting::Replace { max_wait: None },
            awaited: true,
            end_signals: vec![EndSignal::to(JobId::from_static("b"))],
            ..again.clone()
        };
        let queue = QueueName::from_static("q");
        let meta = JobMeta::begin(queue, &enqueued, Seq::new(1), Timestamp::default());
        assert_eq!(NewJob::of(&meta, &JobBody::begin(enqueued)), again);
    }
}
