//! Answers: pages, ways to other pages, files.

use crate::problem::WebProblem;
use askama::Template;
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Response, StatusCode,
    header::{
        CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, REFERRER_POLICY,
        X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
    },
};
use http_body_util::Full;
use queue_http::AnswerBody;

/// What a browser makes of a page: files of this server alone, and no style or script within it.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
     connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
const OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const RESOURCE: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");

pub(crate) type Answer = Response<AnswerBody>;

/// A page.
pub(crate) fn page(template: &impl Template) -> Result<Answer, WebProblem> {
    page_with(StatusCode::OK, template)
}

/// A page with another status.
pub(crate) fn page_with(status: StatusCode, template: &impl Template) -> Result<Answer, WebProblem> {
    let text = template.render().map_err(|error| {
        tracing::error!(%error, "a page could not be made");
        WebProblem::new(StatusCode::INTERNAL_SERVER_ERROR, "The page could not be made.")
    })?;
    let mut answer = of(status, Bytes::from(text));
    set(&mut answer, CONTENT_TYPE, "text/html; charset=utf-8");
    Ok(answer)
}

/// Sends the browser to a page of the dashboard, by a link that is relative to the present one.
pub(crate) fn see(link: &str) -> Answer {
    let mut answer = of(StatusCode::SEE_OTHER, Bytes::new());
    let value = HeaderValue::from_str(link).unwrap_or(HeaderValue::from_static("./"));
    answer.headers_mut().insert(LOCATION, value);
    answer
}

/// An answer of these bytes.
pub(crate) fn of(status: StatusCode, bytes: Bytes) -> Answer {
    let mut answer = Response::new(AnswerBody::wrap(Full::new(bytes)));
    *answer.status_mut() = status;
    answer
}

pub(crate) fn set(answer: &mut Answer, name: HeaderName, value: &'static str) {
    answer.headers_mut().insert(name, HeaderValue::from_static(value));
}

/// Headers that stop browsers from loading anything from elsewhere, and from caching the page.
pub(crate) fn harden(headers: &mut HeaderMap) {
    let always = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (X_FRAME_OPTIONS, "DENY"),
        (OPENER, "same-origin"),
        (RESOURCE, "same-origin"),
        (PERMISSIONS, "camera=(), geolocation=(), microphone=()"),
    ];
    headers.extend(always.map(|(name, value)| (name, HeaderValue::from_static(value))));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}
