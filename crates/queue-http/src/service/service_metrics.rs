//! The metrics of a service, and the layer that records them.

use crate::routes::route_label;
use axum::{
    Router,
    extract::{MatchedPath, NestedPath, Request, State},
    middleware::{Next, from_fn_with_state},
    response::Response,
};
use std::{fmt, sync::Arc, time::Duration};
use tokio::time::Instant;

/// Measures the requests of a service, and adds what it knows to `GET /metrics`. `queue serve` has
/// the one of the crate `queue-telemetry`.
pub trait ServiceMetrics: fmt::Debug + Send + Sync + 'static {
    /// A request was answered or refused. `route` is the pattern of the path, such as
    /// `/v1/queues/{queue}/jobs`, and empty for a path that there is not. `took` is the time until
    /// the head of the answer, waiting included.
    fn answered(&self, method: &str, route: &'static str, status: u16, took: Duration);

    /// Lines in the text format of Prometheus, `queue_build_info` included, and none of the gauges
    /// that the service has itself. `may_see` says whether the caller may see a queue, and with
    /// `None` whether it may see what belongs to no queue.
    fn text(&self, may_see: &dyn Fn(Option<&str>) -> bool) -> String;
}

/// Puts the measuring around a router, if there is any.
pub(crate) fn measured(router: Router, metrics: Option<&Arc<dyn ServiceMetrics>>) -> Router {
    match metrics {
        Some(metrics) => router.layer(from_fn_with_state(metrics.clone(), measure)),
        None => router,
    }
}

async fn measure(State(metrics): State<Arc<dyn ServiceMetrics>>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let method = request.method().clone();
    let route = route(&request);
    let response = next.run(request).await;
    metrics.answered(method.as_str(), route, response.status().as_u16(), begun.elapsed());
    response
}

fn route(request: &Request) -> &'static str {
    let extensions = request.extensions();
    let matched = extensions.get::<MatchedPath>().map(MatchedPath::as_str);
    let around = extensions.get::<NestedPath>().map_or("", NestedPath::as_str);
    let pattern = matched.map(|matched| matched.strip_prefix(around).unwrap_or(matched));
    route_label(pattern, request.uri().path())
}
