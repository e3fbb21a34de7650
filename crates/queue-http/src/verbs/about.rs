//! The service itself: whether it lives and is ready, its limits, its description.

use crate::{
    limits::ServiceLimits,
    problem::{Problem, ProblemKind, Result},
    routes::{Call, answer},
    service::App,
};
use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use std::{sync::Arc, time::Duration};
use utoipa::ToSchema;

/// How old the readiness answer may be. Readiness needs no token, so this also bounds how often
/// callers make the service ask its store.
const READY_AGE: Duration = Duration::from_secs(1);

/// The service answers.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HealthOut {
    status: &'static str,
}

/// What the service and its store accept.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LimitsAnswer)]
pub(crate) struct LimitsOut {
    #[serde(flatten)]
    service: ServiceLimits,
    /// The most calls of one token that may wait at the same time.
    waiting_claims_per_token_max: usize,
    /// The largest payload and the largest result, in bytes.
    payload_bytes_max: usize,
    /// The largest progress and the largest error details, in bytes.
    note_bytes_max: usize,
    /// Whether jobs may have partitions, and queues limits.
    partitions: bool,
}

/// `GET /healthz`
pub(crate) async fn health(_: Arc<App>, _: Call) -> Result<Response> {
    answer(StatusCode::OK, &HealthOut { status: "ok" })
}

/// `GET /readyz`
pub(crate) async fn ready(app: Arc<App>, _: Call) -> Result<Response> {
    if !app.tasks.is_ready() {
        return Err(Problem::new(ProblemKind::Closed, "the service is shutting down"));
    }
    app.readiness.check(READY_AGE).await?;
    answer(StatusCode::OK, &HealthOut { status: "ok" })
}

/// `GET /v1/limits`
pub(crate) async fn limits(app: Arc<App>, _: Call) -> Result<Response> {
    let of_store = app.storage.capabilities().limits;
    let limits = LimitsOut {
        service: app.limits,
        waiting_claims_per_token_max: crate::access::Principal::WAITS_MAX,
        payload_bytes_max: of_store.payload_bytes_max,
        note_bytes_max: of_store.note_bytes_max,
        partitions: of_store.partitions,
    };
    answer(StatusCode::OK, &limits)
}

/// `GET /v1/openapi.json`
pub(crate) async fn openapi(_: Arc<App>, _: Call) -> Result<Response> {
    let mut response = crate::openapi::text().into_response();
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    Ok(response)
}
