//! The text that Prometheus scrapes.

use crate::{QueueMetrics, words::DESTINATION};
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::{Instrument, SdkMeterProvider, Stream};
use prometheus::{Registry, TextEncoder, proto::LabelPair};
use queue_core::Error;
use std::fmt;

const BUILD_INFO: &str = "queue_build_info";
/// The name of the label of queues in Prometheus.
const QUEUE_LABEL: &str = "messaging_destination_name";
/// The instruments with a label for the kind. They can have more combinations of labels than the
/// 2,000 that an SDK keeps by default.
const OF_KINDS: [&str; 3] = ["messaging.process.duration", "queue.job.held.duration", "queue.job.attempts"];
/// Room for 250 pairs of a queue and a kind, and for the other kinds of 201 queues, with thirteen
/// outcomes and reasons each.
const SERIES_MAX: usize = 6_000;

/// Metrics with an SDK of their own, for applications that have no SDK and are scraped by
/// Prometheus.
///
/// ```
/// use queue::Queue;
/// use queue_telemetry::{Metered, PrometheusMetrics};
/// use std::sync::Arc;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
/// let prometheus = PrometheusMetrics::new()?;
/// let store = Arc::new(Metered::new(queue::open("memory:").await?, prometheus.metrics()));
/// let mails: Queue<String> = Queue::new(store.clone(), "mails")?;
/// mails.enqueue("a", "welcome".to_owned()).await?;
///
/// // The body of an answer to `GET /metrics`, of the type `PrometheusMetrics::CONTENT_TYPE`.
/// prometheus.metrics().read_store(&*store).await?;
/// assert!(prometheus.text().contains("messaging_client_sent_messages_total"));
/// # Ok(()) }
/// ```
pub struct PrometheusMetrics {
    metrics: QueueMetrics,
    registry: Registry,
    /// The registry stops answering when the provider is dropped.
    _provider: SdkMeterProvider,
}

impl PrometheusMetrics {
    /// The type of [`text`](Self::text), for the header `Content-Type`.
    pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

    /// Metrics with a registry and an SDK of their own, which they share with no other metrics.
    ///
    /// # Errors
    /// `Internal` if the exporter cannot be set up, which would be a bug.
    pub fn new() -> Result<Self, Error> {
        let registry = Registry::new();
        let exporter = opentelemetry_prometheus::exporter()
            .with_registry(registry.clone())
            .without_target_info()
            .scope_info_enabled(false)
            .build()
            .map_err(|error| Error::new(queue_core::ErrorKind::Internal, "measure", error.to_string()))?;
        let provider = SdkMeterProvider::builder().with_reader(exporter).with_view(room_for_kinds).build();
        let metrics = QueueMetrics::new(&provider.meter(env!("CARGO_PKG_NAME")));
        Ok(Self { metrics, registry, _provider: provider })
    }

    /// The instruments.
    pub fn metrics(&self) -> &QueueMetrics {
        &self.metrics
    }

    /// The text of everything that was recorded so far.
    pub fn text(&self) -> String {
        self.text_of(|_| true)
    }

    /// Like [`text`](Self::text), for a reader with limited access. `may_see` decides for each
    /// queue, for `other`, and with `None` for series that belong to no queue, such as errors of
    /// the store. The version is always shown.
    pub fn text_of(&self, may_see: impl Fn(Option<&str>) -> bool) -> String {
        debug_assert_eq!(QUEUE_LABEL, DESTINATION.replace('.', "_"));
        let mut families = self.registry.gather();
        for family in families.iter_mut().filter(|family| family.name() != BUILD_INFO) {
            let kept = family.take_metric().into_iter().filter(|metric| {
                let queue = metric.get_label().iter().find(|label| label.name() == QUEUE_LABEL);
                may_see(queue.map(LabelPair::value))
            });
            let kept: Vec<_> = kept.collect();
            family.set_metric(kept);
        }
        families.retain(|family| !family.get_metric().is_empty());
        // The text is written to memory and the families come from the registry, so nothing can
        // fail.
        TextEncoder::new().encode_to_string(&families).unwrap_or_default()
    }
}

fn room_for_kinds(instrument: &Instrument) -> Option<Stream> {
    let has_kinds = OF_KINDS.contains(&instrument.name());
    has_kinds.then(|| Stream::builder().with_cardinality_limit(SERIES_MAX).build().ok()).flatten()
}

impl fmt::Debug for PrometheusMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrometheusMetrics(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::PrometheusMetrics;
    use queue_core::{Kind, QueueName};

    #[test]
    fn all_kinds_and_queues_that_are_told_apart_have_series_of_their_own() {
        let prometheus = PrometheusMetrics::new().unwrap();
        let metrics = prometheus.metrics();
        for queue in (0..300).map(|n| QueueName::new(format!("queue-{n}")).unwrap()) {
            for kind in (0..210).map(|n| Kind::new(format!("kind-{n}")).unwrap()) {
                let of = metrics.kind(&metrics.queue(&queue), &kind);
                for labels in &of.attempts {
                    metrics.instruments().attempts.add(1, labels);
                    metrics.instruments().held.record(1.0, labels);
                    metrics.instruments().process.record(1.0, labels);
                }
            }
        }
        let text = prometheus.text();
        let overflown: Vec<_> = text.lines().filter(|line| line.contains("overflow")).collect();
        assert!(overflown.is_empty(), "{overflown:?}");
        let bounds = text.lines().filter(|line| {
            line.starts_with("queue_job_held_duration_seconds_bucket") && line.contains("le=\"300\"")
        });
        assert!(bounds.count() > 2_000, "the bounds are those of the instrument");
    }
}
