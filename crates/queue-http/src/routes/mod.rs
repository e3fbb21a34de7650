//! The calls, in one table: the router, the `OpenAPI` document and the tests of scopes are made
//! from it, so that no call exists that one of them does not know.

mod call;
mod endpoint;
mod table;

pub(crate) use call::{Call, answer, check_open};
pub use endpoint::READ_MAX;
pub(crate) use table::{Described, Route, described, table};

use crate::{
    access::{Principal, Scope},
    problem::{Problem, ProblemKind},
    service::{AnswerBody, App},
};
use axum::{
    Router,
    body::Body,
    http::{Method, Request, StatusCode},
    response::IntoResponse,
    routing::{MethodFilter, on},
};
use bytes::Bytes;
use std::{convert::Infallible, future, sync::Arc};

/// Where the face for remote stores is.
pub(crate) const STORE_PATH: &str = "/store/v1";

/// The scope that a call needs, for the access layer: `None` for a call that is not in the table,
/// `Some(None)` for one that needs no token. `path` is the pattern that was matched.
#[allow(clippy::option_option, reason = "no such call, and a call that needs no token, differ")]
pub(crate) fn scope_of(method: &Method, path: &str) -> Option<Option<Scope>> {
    if path.strip_prefix(STORE_PATH).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
        return Some(Some(Scope::Store));
    }
    table().iter().find(|route| route.method == *method && route.path == path).map(|route| route.scope)
}

/// The pattern of a path as a label, of which there are as many as calls.
pub(crate) fn route_label(pattern: Option<&str>, path: &str) -> &'static str {
    if path.strip_prefix(STORE_PATH).is_some_and(|rest| rest.starts_with('/')) {
        return STORE_PATH;
    }
    let route = pattern.and_then(|pattern| table().iter().find(|route| route.path == pattern));
    route.map_or("", |route| route.path)
}

/// A router of all calls.
pub(crate) fn router(app: &Arc<App>) -> Router {
    let routed = table().iter().fold(Router::new(), |router, route| {
        let app = app.clone();
        let handler = move |request| endpoint::run(app.clone(), route, request);
        let method = MethodFilter::try_from(route.method.clone()).expect("the table has plain methods");
        router.route(route.path, on(method, handler))
    });
    routed.fallback(async || no_call().into_response()).method_not_allowed_fallback(async || {
        Problem::invalid("this path takes another method")
            .with_status(StatusCode::METHOD_NOT_ALLOWED)
            .into_response()
    })
}

/// A face for remote stores, which only a principal with the scope of stores reaches.
pub(crate) fn store_face<S, B>(face: S) -> Router
where
    S: tower_service::Service<http::Request<AnswerBody>, Response = http::Response<B>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send + 'static,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    Router::new().fallback(move |request: Request<Body>| {
        let mut face = face.clone();
        async move {
            let principal = request.extensions().get::<Principal>();
            match principal {
                Some(principal) if principal.has(Scope::Store) => {}
                Some(principal) => {
                    return Problem::new(ProblemKind::Forbidden, principal.lacks(Scope::Store))
                        .into_response();
                }
                None => {
                    return Problem::new(ProblemKind::Unauthorized, "the request has no token")
                        .into_response();
                }
            }
            let Ok(()) = future::poll_fn(|cx| face.poll_ready(cx)).await;
            let Ok(answer) = face.call(request.map(AnswerBody::new)).await;
            answer.map(Body::new)
        }
    })
}

fn no_call() -> Problem {
    Problem::new(ProblemKind::NotFound, "there is no such call; see docs/service/protocol.md")
}
