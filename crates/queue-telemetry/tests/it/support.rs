//! A measured store in memory, and a reader of its measurements.

use queue::{MemoryStorage, Queue, Storage, worker::WorkerBuilder};
use queue_telemetry::{Metered, PrometheusMetrics};
use std::sync::Arc;

pub(crate) struct Measured {
    pub(crate) prometheus: PrometheusMetrics,
    pub(crate) storage: Arc<dyn Storage>,
}

impl Measured {
    pub(crate) fn new() -> Self {
        Self::over(Arc::new(MemoryStorage::new()))
    }

    pub(crate) fn over(store: Arc<dyn Storage>) -> Self {
        let prometheus = PrometheusMetrics::new().expect("the exporter is set up");
        let storage = Arc::new(Metered::new(store, prometheus.metrics()));
        Self { prometheus, storage }
    }

    pub(crate) fn queue(&self, name: &str) -> Queue<String, String> {
        Queue::new(self.storage.clone(), name).expect("a valid name")
    }

    pub(crate) fn observed(&self, worker: WorkerBuilder) -> WorkerBuilder {
        let metrics = self.prometheus.metrics().clone();
        worker.on_event(move |event| metrics.observe(event))
    }

    /// The sum of all values of a metric whose labels contain each of these.
    pub(crate) fn sum(&self, metric: &str, labels: &[(&str, &str)]) -> f64 {
        sum(&self.prometheus.text(), metric, labels)
    }
}

pub(crate) fn sum(text: &str, metric: &str, labels: &[(&str, &str)]) -> f64 {
    let wanted: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{value}\"")).collect();
    text.lines()
        .filter(|line| line.split(['{', ' ']).next() == Some(metric))
        .filter(|line| wanted.iter().all(|label| line.contains(label.as_str())))
        .map(|line| line.rsplit(' ').next().and_then(|number| number.parse::<f64>().ok()).expect("a number"))
        .sum()
}

/// A count, as a number that can be compared.
#[allow(clippy::cast_sign_loss, reason = "counters are not negative")]
pub(crate) fn count(measured: &Measured, metric: &str, labels: &[(&str, &str)]) -> u64 {
    measured.sum(metric, labels) as u64
}
