//! The instruments: names, units and bucket bounds. docs/observability has the same list.

use opentelemetry::metrics::{Counter, Gauge, Histogram, Meter};

/// Bucket bounds for calls of a store, as OpenTelemetry recommends for messaging.
const CALL_SECS: [f64; 14] =
    [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];
/// Bucket bounds for handlers, which take longer.
const JOB_SECS: [f64; 14] =
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0];
/// Bucket bounds for waiting, which takes hours when something is wrong.
const WAIT_SECS: [f64; 14] =
    [0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3600.0, 14400.0, 86400.0];

#[derive(Debug)]
pub(crate) struct Instruments {
    pub(crate) sent: Counter<u64>,
    pub(crate) consumed: Counter<u64>,
    pub(crate) operation: Histogram<f64>,
    pub(crate) process: Histogram<f64>,
    pub(crate) wait: Histogram<f64>,
    pub(crate) held: Histogram<f64>,
    pub(crate) attempts: Counter<u64>,
    pub(crate) lease_lost: Counter<u64>,
    pub(crate) abandoned: Counter<u64>,
    pub(crate) replayed: Counter<u64>,
    pub(crate) errors: Counter<u64>,
    pub(crate) request: Histogram<f64>,
    pub(crate) build_info: Gauge<u64>,
    pub(crate) jobs: Gauge<u64>,
    pub(crate) oldest_due: Gauge<f64>,
    pub(crate) batches: Gauge<u64>,
    pub(crate) oldest_batch: Gauge<f64>,
    pub(crate) full_partitions: Gauge<u64>,
    pub(crate) oldest_blocked: Gauge<f64>,
    pub(crate) paused: Gauge<u64>,
    pub(crate) workers: Gauge<u64>,
    pub(crate) slots: Gauge<u64>,
}

impl Instruments {
    pub(crate) fn new(meter: &Meter) -> Self {
        let count = |name, unit, what| meter.u64_counter(name).with_unit(unit).with_description(what).build();
        let gauge = |name, unit, what| meter.u64_gauge(name).with_unit(unit).with_description(what).build();
        let age = |name, what| meter.f64_gauge(name).with_unit("s").with_description(what).build();
        let secs = |name, bounds: [f64; 14], what| {
            let histogram = meter.f64_histogram(name).with_unit("s").with_description(what);
            histogram.with_boundaries(bounds.to_vec()).build()
        };
        Self {
            sent: count(
                "messaging.client.sent.messages",
                "{message}",
                "Jobs of enqueues, and of settles that jobs follow.",
            ),
            consumed: count("messaging.client.consumed.messages", "{message}", "Jobs that claims leased."),
            operation: secs(
                "messaging.client.operation.duration",
                CALL_SECS,
                "How long calls of the store took.",
            ),
            process: secs("messaging.process.duration", JOB_SECS, "How long handlers ran."),
            wait: secs("queue.job.wait.duration", WAIT_SECS, "From the due time of an attempt to its claim."),
            held: secs("queue.job.held.duration", JOB_SECS, "From the claim of an attempt to its settle."),
            attempts: count("queue.job.attempts", "{attempt}", "Attempts that ended."),
            lease_lost: count(
                "queue.lease.lost",
                "{call}",
                "Extensions and settles of a lease that was lost.",
            ),
            abandoned: count(
                "queue.settle.abandoned",
                "{settle}",
                "Outcomes that a worker gave up to store.",
            ),
            replayed: count(
                "queue.settle.replayed",
                "{settle}",
                "Outcomes that a worker sent again and stored.",
            ),
            errors: count("queue.store.errors", "{error}", "Calls of the store that failed."),
            request: secs("http.server.request.duration", CALL_SECS, "How long the service took to answer."),
            build_info: gauge("queue.build_info", "", "The version of the library."),
            jobs: gauge("queue.jobs", "{job}", "Jobs by state; a failing job is also due or scheduled."),
            oldest_due: age("queue.oldest_due.age", "For how long the oldest due job has been due."),
            batches: gauge("queue.batches", "{batch}", "Batches that are open."),
            oldest_batch: age("queue.oldest_batch.age", "For how long the oldest open batch has been open."),
            full_partitions: gauge(
                "queue.partitions.full",
                "{partition}",
                "Partitions whose due jobs wait for a slot.",
            ),
            oldest_blocked: age(
                "queue.oldest_blocked.age",
                "For how long the oldest job that waits for a slot has been due.",
            ),
            paused: gauge("queue.paused", "{queue}", "Whether claims are stopped."),
            workers: gauge("queue.workers", "{worker}", "Workers that are present."),
            slots: gauge("queue.worker.slots", "{slot}", "Slots of all workers that are present."),
        }
    }
}
