//! What happens to a request before its handler sees it.

use super::{Call, Route};
use crate::{
    access::Principal,
    problem::{Problem, ProblemKind, Result},
    service::App,
};
use axum::{
    body::Body,
    extract::{FromRequestParts, RawPathParams},
    http::{HeaderValue, Method, Request, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use queue_core::QueueName;
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;

/// How long a body may take to arrive.
const BODY_MAX: Duration = Duration::from_secs(30);

/// How long a read of people may take: the calls that only show something, and the pages of the
/// dashboard. A store that stands still answers none of them; a person wants to know that.
pub const READ_MAX: Duration = Duration::from_secs(10);

/// Checks the caller, reads the body, and runs the handler of the route.
pub(super) async fn run(app: Arc<App>, route: &'static Route, request: Request<Body>) -> Response {
    match checked(&app, route, request).await {
        Ok(call) => handled(app, route, call).await.unwrap_or_else(IntoResponse::into_response),
        Err(problem) => problem.into_response(),
    }
}

async fn handled(app: Arc<App>, route: &Route, call: Call) -> Result<Response> {
    let handled = (route.run)(app, call);
    if !route.is_read() {
        return handled.await;
    }
    let late = |_| Problem::new(ProblemKind::Unavailable, "the store does not answer in time");
    timeout(READ_MAX, handled).await.map_err(late)?
}

async fn checked(app: &App, route: &Route, request: Request<Body>) -> Result<Call> {
    let (mut parts, body) = request.into_parts();
    let params = params(&mut parts).await?;
    let principal = parts.extensions.remove::<Principal>();
    check_scope(route, principal.as_ref(), &params)?;
    let body = if route.method == Method::GET {
        Bytes::new()
    } else {
        check_content_type(&parts)?;
        check_content_encoding(&parts)?;
        read(body, app.limits.body_bytes_max).await?
    };
    Ok(Call { principal, params, uri: parts.uri, headers: parts.headers, body })
}

async fn params(parts: &mut Parts) -> Result<Vec<(String, String)>> {
    let params = RawPathParams::from_request_parts(parts, &()).await;
    let params = params.map_err(|_| Problem::invalid("the path is not UTF-8"))?;
    Ok(params.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

/// The caller needs the scope of the route, and in the queue of the path if there is one. Whether
/// there is such a queue makes no difference to the answer.
fn check_scope(route: &Route, principal: Option<&Principal>, params: &[(String, String)]) -> Result<()> {
    let Some(scope) = route.scope else { return Ok(()) };
    let Some(principal) = principal else {
        return Err(Problem::new(ProblemKind::Unauthorized, "the request has no token"));
    };
    if !principal.has(scope) {
        return Err(Problem::new(ProblemKind::Forbidden, principal.lacks(scope)));
    }
    let Some((_, name)) = params.iter().find(|(name, _)| name == "queue") else { return Ok(()) };
    let queue = QueueName::new(name).map_err(|invalid| Problem::from(invalid).at("queue"))?;
    if principal.may(scope, &queue) {
        return Ok(());
    }
    Err(Problem::new(ProblemKind::Forbidden, "the token is not one for this queue"))
}

/// A page of another site can send other types without asking, so they are refused.
fn check_content_type(parts: &Parts) -> Result<()> {
    let found = parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = found.map(|value| value.split(';').next().unwrap_or_default().trim());
    if essence.is_some_and(|essence| essence.eq_ignore_ascii_case("application/json")) {
        return Ok(());
    }
    Err(Problem::invalid("send JSON, with the content type application/json")
        .with_status(StatusCode::UNSUPPORTED_MEDIA_TYPE))
}

/// A compressed body is refused by its name, and not as JSON that cannot be read.
fn check_content_encoding(parts: &Parts) -> Result<()> {
    let is_identity = |value: &HeaderValue| {
        let text = value.as_bytes().trim_ascii();
        text.is_empty() || text.eq_ignore_ascii_case(b"identity")
    };
    if parts.headers.get_all(header::CONTENT_ENCODING).iter().all(is_identity) {
        return Ok(());
    }
    Err(Problem::invalid("send the body as it is: no content encoding is taken but identity")
        .with_status(StatusCode::UNSUPPORTED_MEDIA_TYPE))
}

async fn read(body: Body, most: usize) -> Result<Bytes> {
    let too_large = || Problem::too_large(format!("a request has at most {most} bytes"));
    match timeout(BODY_MAX, Limited::new(body, most).collect()).await {
        Ok(Ok(read)) => Ok(read.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(Problem::invalid("the body of the request did not arrive whole")),
        Err(_elapsed) => Err(Problem::invalid("the body of the request took too long")
            .with_status(StatusCode::REQUEST_TIMEOUT)),
    }
}
