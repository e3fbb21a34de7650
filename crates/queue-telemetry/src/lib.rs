//! Metrics of a queue, by the API of OpenTelemetry.
//!
//! [`QueueMetrics`] holds the instruments. [`Metered`] is a layer in front of any store: it counts
//! what is enqueued, claimed and settled through it, and how long that takes. A worker that tells
//! its events to [`QueueMetrics::observe`] adds what only it knows: how long handlers run. What is
//! stored (how many jobs wait, and since when) is read by [`QueueMetrics::read_store`].
//!
//! Where the numbers go is the application's choice: any SDK of OpenTelemetry, by the meter that
//! [`QueueMetrics::new`] gets. With the feature `prometheus` there is also `PrometheusMetrics`,
//! which answers the text that Prometheus scrapes.
//!
//! The feature `bound-instruments`, which `prometheus` implies, has the SDK find the labels of a
//! record once and not each time. It needs an SDK of the version 0.33 behind the meter: another
//! implementation of `SyncInstrument` that cannot `bind` would drop those records without a word.
//!
//! Invariants kept here: no label has a job, an attempt or a worker in it; at most 200 queues and
//! 200 kinds are told apart, however many there are; nothing that is measured can fail or wait.
//!
//! Absent on purpose: an exporter, a server, and any type of OpenTelemetry in a signature other
//! than the meter.

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
