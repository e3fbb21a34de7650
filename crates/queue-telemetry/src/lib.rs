//! Metrics of a queue, through the API of OpenTelemetry.
//!
//! [`QueueMetrics`] holds the instruments. [`Metered`] is a layer in front of any store: it counts
//! what is enqueued, claimed and settled through it, and measures how long that takes. A worker
//! that passes its events to [`QueueMetrics::observe`] adds what only it knows: how long handlers
//! run. [`QueueMetrics::read_store`] reads what is stored: how many jobs wait, and since when.
//!
//! The application chooses where the numbers go: any SDK of OpenTelemetry, through the meter that
//! it passes to [`QueueMetrics::new`]. With the feature `prometheus` there is also
//! `PrometheusMetrics`, which produces the text that Prometheus scrapes.
//!
//! With the feature `bound-instruments`, which `prometheus` implies, the SDK looks up the labels of
//! a record once and not each time. It needs version 0.33 of the SDK behind the meter: another
//! implementation of `SyncInstrument`, one that cannot `bind`, would drop those records silently.
//!
//! Invariants kept here: no label contains a job, an attempt or a worker; at most 200 queues and
//! 200 kinds have labels of their own, and all others share one; recording never fails and never
//! waits.
//!
//! Deliberately absent: an exporter, a server, and any type of OpenTelemetry in a signature except
//! the meter.

mod applied_batch;
mod instruments;
mod labels;
mod metered;
#[cfg(feature = "prometheus")]
mod prometheus_metrics;
mod queue_metrics;
mod sent_transition;
mod store_gauges;
mod words;

pub use metered::Metered;
#[cfg(feature = "prometheus")]
pub use prometheus_metrics::PrometheusMetrics;
pub use queue_metrics::QueueMetrics;
