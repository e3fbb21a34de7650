//! The calls and the dashboard at one address.

use futures_util::future::BoxFuture;
use queue_http::{AnswerBody, RequestBody, Routed};
use queue_web::Dashboard;
use std::{
    convert::Infallible,
    task::{Context, Poll},
};
use tower_service::Service;

/// Sends requests for pages to the dashboard, and all others to the calls.
#[derive(Clone, Debug)]
pub(super) struct Front {
    calls: Routed,
    dashboard: Option<Dashboard>,
}

impl Front {
    pub(super) fn new(calls: Routed, dashboard: Option<Dashboard>) -> Self {
        Self { calls, dashboard }
    }
}

impl Service<http::Request<RequestBody>> for Front {
    type Response = http::Response<AnswerBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<RequestBody>) -> Self::Future {
        match &mut self.dashboard {
            Some(dashboard) if Dashboard::has_path(request.uri().path()) => dashboard.call(request),
            _ => self.calls.call(request),
        }
    }
}
