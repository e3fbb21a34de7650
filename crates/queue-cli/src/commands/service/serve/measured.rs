//! What a server counts of its requests, with what its store was asked.

use queue_http::ServiceMetrics;
use queue_telemetry::PrometheusMetrics;
use std::time::Duration;

/// The metrics of `queue serve`.
#[derive(Debug)]
pub(super) struct MeasuredService(pub(super) PrometheusMetrics);

impl ServiceMetrics for MeasuredService {
    fn answered(&self, method: &str, route: &'static str, status: u16, took: Duration) {
        self.0.metrics().answered(method, route, status, took);
    }

    fn text(&self, may_see: &dyn Fn(Option<&str>) -> bool) -> String {
        self.0.text_of(may_see)
    }
}
