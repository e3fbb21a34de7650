//! The text that Prometheus scrapes.

use crate::{QueueMetrics, words::DESTINATION};
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use prometheus::{Registry, TextEncoder, proto::LabelPair};
use queue_core::Error;
use std::fmt;

const BUILD_INFO: &str = "queue_build_info";
/// The name of the label of queues in Prometheus.
const QUEUE_LABEL: &str = "messaging_destination_name";

/// Metrics with an SDK of their own, for applications that have none and are scraped by Prometheus.
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
    /// Reads stop when it is dropped.
    _provider: SdkMeterProvider,
}

impl PrometheusMetrics {
    /// The type of [`text`](Self::text), for the header `Content-Type`.
    pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

    /// Metrics that nobody else has.
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
        let provider = SdkMeterProvider::builder().with_reader(exporter).build();
        let metrics = QueueMetrics::new(&provider.meter(env!("CARGO_PKG_NAME")));
        Ok(Self { metrics, registry, _provider: provider })
    }

    /// The instruments.
    pub fn metrics(&self) -> &QueueMetrics {
        &self.metrics
    }

    /// Everything that was recorded so far.
    pub fn text(&self) -> String {
        self.text_of(|_| true)
    }

    /// The same, for somebody who may not see everything: `may_see` is asked for each queue, for
    /// `other`, and with `None` for what belongs to no queue, such as errors of the store. The
    /// version is no secret.
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
        // Text is written to memory, and families come from the registry, so nothing can fail.
        TextEncoder::new().encode_to_string(&families).unwrap_or_default()
    }
}

impl fmt::Debug for PrometheusMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrometheusMetrics(..)")
    }
}
