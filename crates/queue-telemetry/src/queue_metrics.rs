//! The metrics of an application's queues.

use crate::{
    instruments::Instruments,
    labels::{KindLabels, Labels, QueueLabels},
    store_gauges::RecordedQueues,
    words::{
        AttemptOutcome, DESTINATION, ERROR_TYPE, KIND, OUTCOME, Operation, REASON, SentOutcome, certainty,
        error_kind,
    },
};
use opentelemetry::{KeyValue, metrics::Meter};
use queue_core::{Certainty, Claimed, Enqueued, Error, ErrorKind, Kind, QueueName, Reason, Stamped};
use queue_worker::{JobEnd, WorkerEvent};
use std::{fmt, sync::Arc, time::Duration};

/// The instruments of all queues of an application; clones are the same instruments.
///
/// Create one, use it for the [`Metered`](crate::Metered) layer in front of the store, and pass the
/// events of workers to it:
///
/// ```
/// use queue::Queue;
/// use queue_telemetry::{Metered, QueueMetrics};
/// use std::sync::Arc;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let metrics = QueueMetrics::new(&opentelemetry::global::meter("shop"));
/// let store = Arc::new(Metered::new(queue::open("memory:").await?, &metrics));
/// let mails: Queue<String> = Queue::new(store, "mails")?;
/// let worker = mails.work_with(|_, _| async { Ok(()) });
/// worker.on_event(move |event| metrics.observe(event)).until_idle().build()?.run().await;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct QueueMetrics {
    inner: Arc<Inner>,
}

struct Inner {
    instruments: Instruments,
    labels: Labels,
    recorded: RecordedQueues,
}

impl QueueMetrics {
    /// Creates the instruments with this meter. Without an SDK behind the meter, a record does
    /// nothing.
    pub fn new(meter: &Meter) -> Self {
        let instruments = Instruments::new(meter);
        instruments.build_info.record(1, &[KeyValue::new("version", env!("CARGO_PKG_VERSION"))]);
        Self {
            inner: Arc::new(Inner {
                instruments,
                labels: Labels::new(),
                recorded: RecordedQueues::default(),
            }),
        }
    }

    /// Records what only a worker knows: how long a handler ran, and settles that were abandoned or
    /// sent again. Pass it to `WorkerBuilder::on_event`. It does not repeat what the layer counts.
    pub fn observe(&self, event: &WorkerEvent) {
        match event {
            WorkerEvent::Completed(end) => self.handled(end, AttemptOutcome::Completed),
            WorkerEvent::Failing(end) => self.handled(end, AttemptOutcome::Failing),
            WorkerEvent::Failed(end) => self.handled(end, AttemptOutcome::Failed),
            WorkerEvent::Released(end) => self.handled(end, AttemptOutcome::Released),
            WorkerEvent::Cancelled(end) => self.handled(end, AttemptOutcome::Cancelled),
            WorkerEvent::Abandoned { queue, .. } => {
                self.instruments().abandoned.add(1, &self.queue(queue).destination);
            }
            WorkerEvent::Replayed { queue, .. } => {
                self.instruments().replayed.add(1, &self.queue(queue).destination);
            }
            _ => {}
        }
    }

    /// Records a request that a service answered. `route` is the pattern of the path, never the
    /// path itself.
    pub fn answered(&self, method: &str, route: &'static str, status: u16, took: Duration) {
        let labels = [
            KeyValue::new("http.request.method", known_method(method)),
            KeyValue::new("http.route", route),
            KeyValue::new("http.response.status_code", i64::from(status)),
        ];
        self.instruments().request.record(took.as_secs_f64(), &labels);
    }

    pub(crate) fn instruments(&self) -> &Instruments {
        &self.inner.instruments
    }

    /// The queues whose gauges were recorded last.
    pub(crate) fn recorded(&self) -> &RecordedQueues {
        &self.inner.recorded
    }

    /// The labels of a queue. The counters that alerts watch start at zero when a queue is first
    /// seen, since Prometheus detects no increase in a series that did not exist before.
    pub(crate) fn queue(&self, queue: &QueueName) -> Arc<QueueLabels> {
        let Inner { instruments, labels, .. } = &*self.inner;
        labels.of_queue(queue, |labels| {
            for counter in [&instruments.lease_lost, &instruments.abandoned, &instruments.replayed] {
                counter.add(0, &labels.destination);
            }
        })
    }

    /// The labels of a kind in that queue.
    pub(crate) fn kind(&self, queue: &QueueLabels, kind: &Kind) -> Arc<KindLabels> {
        let Inner { instruments, labels, .. } = &*self.inner;
        labels.of_kind(queue, kind, |labels| {
            let of = |outcome: AttemptOutcome| &labels.attempts[outcome as usize];
            instruments.attempts.add(0, of(AttemptOutcome::Stalled));
            for reason in [Reason::Exhausted, Reason::Terminal, Reason::Stalled] {
                instruments.attempts.add(0, &with_reason(of(AttemptOutcome::Failed), reason));
            }
        })
    }

    /// Starts the error counters of a store at zero, for the same reason as [`queue`](Self::queue).
    pub(crate) fn store_begins(&self, store: &'static str) {
        for kind in [ErrorKind::Unavailable, ErrorKind::Corrupt] {
            self.instruments().errors.add(0, &error_labels(store, kind, Certainty::NotApplied));
        }
    }

    fn handled(&self, end: &JobEnd, outcome: AttemptOutcome) {
        let Some(ran_for) = end.ran_for else { return };
        let queue = self.queue(&end.meta.queue);
        let kind = self.kind(&queue, &end.meta.kind);
        let (labels, cells) = kind.of(outcome);
        cells.process.record(&self.instruments().process, ran_for.as_secs_f64(), labels);
    }

    /// Records a call of the store that has ended. A claim or a failed call does not register its
    /// queue, since both accept any name; the jobs that a claim returns do.
    pub(crate) fn called(
        &self,
        queue: &QueueName,
        operation: Operation,
        took: Duration,
        error: Option<&Error>,
    ) -> Arc<QueueLabels> {
        let is_of_jobs = error.is_none() && operation != Operation::Claim;
        let queue = if is_of_jobs { self.queue(queue) } else { self.inner.labels.of_known_queue(queue) };
        let secs = took.as_secs_f64();
        let duration = &self.instruments().operation;
        let (labels, cell) =
            (&queue.operations[operation as usize], &queue.cells.operations[operation as usize]);
        match error {
            None => cell.record(duration, secs, labels),
            Some(error) => duration.record(secs, &with_error(labels, error)),
        }
        queue
    }

    pub(crate) fn store_failed(&self, store: &'static str, error: &Error) {
        self.instruments().errors.add(1, &error_labels(store, error.kind(), error.certainty()));
    }

    pub(crate) fn enqueued(&self, queue: &QueueLabels, answer: &Stamped<Vec<Vec<Enqueued>>>) {
        let mut counts = [0_u64; SentOutcome::WORDS.len()];
        for answer in answer.value.iter().flatten() {
            let outcome = match answer {
                Enqueued::Queued { .. } => SentOutcome::Queued,
                Enqueued::Duplicate { .. } => SentOutcome::Duplicate,
                Enqueued::Completed { .. } => SentOutcome::Completed,
                Enqueued::Orphaned => SentOutcome::Orphaned,
            };
            counts[outcome as usize] += 1;
        }
        for (outcome, count) in counts.into_iter().enumerate().filter(|(_, count)| *count > 0) {
            queue.cells.sent[outcome].add(&self.instruments().sent, count, &queue.sent[outcome]);
        }
    }

    pub(crate) fn claimed(&self, queue: &QueueName, claimed: &Claimed) {
        if claimed.jobs.is_empty() {
            return;
        }
        let queue = self.queue(queue);
        let mut count = 0;
        for job in claimed.jobs.iter().filter(|job| !job.record.meta.kind.is_reserved()) {
            count += 1;
            let waited = claimed.now.since(job.record.meta.run_at);
            let wait = &self.instruments().wait;
            queue.cells.wait.record(wait, waited.as_secs_f64(), &queue.destination);
        }
        if count > 0 {
            queue.cells.consumed.add(&self.instruments().consumed, count, &queue.destination);
        }
    }
}

impl fmt::Debug for QueueMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("QueueMetrics(..)")
    }
}

fn error_labels(store: &'static str, kind: ErrorKind, how_certain: Certainty) -> [KeyValue; 3] {
    [
        KeyValue::new("store", store),
        KeyValue::new("kind", error_kind(kind)),
        KeyValue::new("certainty", certainty(how_certain)),
    ]
}

fn with_error([queue, operation]: &[KeyValue; 2], error: &Error) -> [KeyValue; 3] {
    [queue.clone(), operation.clone(), KeyValue::new(ERROR_TYPE, error_kind(error.kind()))]
}

pub(crate) fn with_reason([queue, kind, outcome]: &[KeyValue; 3], reason: Reason) -> [KeyValue; 4] {
    debug_assert!(queue.key.as_str() == DESTINATION && kind.key.as_str() == KIND);
    debug_assert_eq!(outcome.key.as_str(), OUTCOME);
    [queue.clone(), kind.clone(), outcome.clone(), KeyValue::new(REASON, reason.as_str())]
}

/// Callers can invent methods, so unknown ones share a label.
fn known_method(method: &str) -> &'static str {
    ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"]
        .into_iter()
        .find(|known| *known == method)
        .unwrap_or("_OTHER")
}
