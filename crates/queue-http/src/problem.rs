//! What an answer says when a call was not carried out (RFC 9457).

mod reason;

pub(crate) use reason::ProblemReason;

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use queue_core::{Certainty, Error, ErrorKind, InvalidName};
use queue_view::InvalidFilter;
use serde::Serialize;
use std::{borrow::Cow, time::Duration};
use utoipa::ToSchema;

/// How long a client waits before it sends a request again that the store could not carry out.
const RETRY_AFTER: Duration = Duration::from_secs(1);

pub(crate) type Result<T, E = Problem> = std::result::Result<T, E>;

/// Why a call was not carried out. The text is for people, and never has a word of a driver in it:
/// what the store said is in the log.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    kind: ProblemKind,
    status: StatusCode,
    certainty: Certainty,
    detail: Cow<'static, str>,
    reason: Option<ProblemReason>,
    retry_after: Option<Duration>,
}

/// What the caller should do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ProblemKind {
    Invalid,
    Unauthorized,
    Forbidden,
    NotFound,
    Conflict,
    TooMany,
    Unsupported,
    Unavailable,
    Closed,
    Corrupt,
    Internal,
}

/// A problem as it is sent.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ProblemDocument {
    /// `urn:queue:problem:` and the kind.
    #[serde(rename = "type")]
    uri: String,
    /// What is wrong in general.
    title: &'static str,
    status: u16,
    /// What is wrong in this call, for people.
    detail: Cow<'static, str>,
    kind: ProblemKind,
    /// `not_applied` or `unknown`.
    certainty: &'static str,
    /// `other_key`: the receipt was sealed by a key that this server does not have. Of a batch:
    /// `batch_exists`, opened in another way; `name_taken`, by a job; `no_batch`; `batch_ended`;
    /// `batch_sealed`. There may be more.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    reason: Option<ProblemReason>,
    /// When the same request may succeed.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
}

impl ProblemKind {
    const fn status(self) -> StatusCode {
        match self {
            Self::Invalid => StatusCode::BAD_REQUEST,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Conflict => StatusCode::CONFLICT,
            Self::TooMany => StatusCode::TOO_MANY_REQUESTS,
            Self::Unsupported => StatusCode::NOT_IMPLEMENTED,
            Self::Unavailable | Self::Closed => StatusCode::SERVICE_UNAVAILABLE,
            Self::Corrupt | Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not_found",
            Self::Conflict => "conflict",
            Self::TooMany => "too_many",
            Self::Unsupported => "unsupported",
            Self::Unavailable => "unavailable",
            Self::Closed => "closed",
            Self::Corrupt => "corrupt",
            Self::Internal => "internal",
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Invalid => "the request is invalid",
            Self::Unauthorized => "the request has no valid token",
            Self::Forbidden => "the token does not allow this",
            Self::NotFound => "there is no such thing",
            Self::Conflict => "the record kept changing",
            Self::TooMany => "there are too many requests at the same time",
            Self::Unsupported => "the store does not offer this",
            Self::Unavailable => "the store does not answer now",
            Self::Closed => "the service is shutting down",
            Self::Corrupt => "the store has data that cannot be read",
            Self::Internal => "the service has a bug",
        }
    }

    const fn is_temporary(self) -> bool {
        matches!(self, Self::Conflict | Self::TooMany | Self::Unavailable | Self::Closed)
    }
}

impl Problem {
    pub(crate) fn new(kind: ProblemKind, detail: impl Into<Cow<'static, str>>) -> Self {
        Self {
            kind,
            status: kind.status(),
            certainty: Certainty::NotApplied,
            detail: detail.into(),
            reason: None,
            retry_after: kind.is_temporary().then_some(RETRY_AFTER),
        }
    }

    pub(crate) fn invalid(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ProblemKind::Invalid, detail)
    }

    pub(crate) fn not_found(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ProblemKind::NotFound, detail)
    }

    pub(crate) fn too_large(detail: impl Into<Cow<'static, str>>) -> Self {
        Self { status: StatusCode::PAYLOAD_TOO_LARGE, ..Self::invalid(detail) }
    }

    /// A receipt of another server, or of this one before it was started again with another key.
    pub(crate) fn other_key() -> Self {
        let detail = "receipt: the server has another key than the one that sealed it; servers of one store, and a server before and after a restart, need the same --key-file";
        Self { reason: Some(ProblemReason::OtherKey), ..Self::invalid(detail) }
    }

    /// There is no batch of the name in the path.
    pub(crate) fn no_batch() -> Self {
        Self { reason: Some(ProblemReason::NoBatch), ..Self::not_found("there is no such batch") }
    }

    /// Sets a status that says more than that of the kind.
    #[must_use]
    pub(crate) fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// Marks that the call may have been applied despite the error.
    #[must_use]
    pub(crate) fn unknown(self) -> Self {
        Self { certainty: Certainty::Unknown, ..self }
    }

    /// Says that nothing happened that the caller has to look after: what a claim may have leased
    /// without an answer of the store is given back by the service.
    #[must_use]
    pub(crate) fn given_back(self) -> Self {
        Self { certainty: Certainty::NotApplied, ..self }
    }

    /// What is wrong in this call.
    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }

    /// Says where in the request it is.
    #[must_use]
    pub(crate) fn at(self, place: impl std::fmt::Display) -> Self {
        let detail = Cow::Owned(format!("{place}: {}", self.detail));
        Self { detail, ..self }
    }

    /// The problem of a batch's item, which stands in the answer.
    pub(crate) fn document(&self) -> ProblemDocument {
        ProblemDocument {
            uri: format!("urn:queue:problem:{}", self.kind.name()),
            title: self.kind.title(),
            status: self.status.as_u16(),
            detail: self.detail.clone(),
            kind: self.kind,
            certainty: certainty(self.certainty),
            reason: self.reason,
            retry_after_ms: self
                .retry_after
                .map(|after| u64::try_from(after.as_millis()).unwrap_or(u64::MAX)),
        }
    }

    fn internal(detail: &'static str) -> Self {
        Self::new(ProblemKind::Internal, detail)
    }

    /// An answer that cannot be written as JSON, which no answer of this crate is.
    pub(crate) fn unwritable(error: &serde_json::Error) -> Self {
        tracing::error!(%error, "an answer could not be written");
        Self::internal("the answer could not be written; see the log of the service")
    }
}

const fn certainty(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::NotApplied => "not_applied",
        Certainty::Unknown => "unknown",
    }
}

impl From<Error> for Problem {
    /// The answer says what is wrong with a request. What is wrong with the store goes to the log,
    /// since its message may name hosts, files and accounts.
    fn from(error: Error) -> Self {
        let told = || Cow::Owned(error.message().to_owned());
        let (kind, detail) = match error.kind() {
            ErrorKind::Invalid => (ProblemKind::Invalid, told()),
            ErrorKind::Unsupported => (ProblemKind::Unsupported, told()),
            ErrorKind::Conflict => (ProblemKind::Conflict, told()),
            ErrorKind::Unavailable => (ProblemKind::Unavailable, "the store cannot answer now".into()),
            ErrorKind::Closed => (ProblemKind::Closed, "the store is closed".into()),
            ErrorKind::Corrupt => (ProblemKind::Corrupt, "see the log of the service".into()),
            _ => (ProblemKind::Internal, "see the log of the service".into()),
        };
        if !matches!(kind, ProblemKind::Invalid | ProblemKind::Unsupported | ProblemKind::Conflict) {
            tracing::warn!(%error, operation = error.operation(), "the store did not carry out a call");
        }
        let problem = Self { certainty: error.certainty(), ..Self::new(kind, detail) };
        match reason::refused_by_batch(&error) {
            Some((kind, status, reason)) => Self { kind, status, reason: Some(reason), ..problem },
            None => problem,
        }
    }
}

impl From<InvalidFilter> for Problem {
    fn from(invalid: InvalidFilter) -> Self {
        Self::invalid(invalid.to_string())
    }
}

impl From<InvalidName> for Problem {
    fn from(invalid: InvalidName) -> Self {
        Self::invalid(invalid.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = serde_json::to_vec(&self.document()).expect("text and numbers are JSON");
        let mut response = (self.status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(after) = self.retry_after {
            headers.insert(header::RETRY_AFTER, after.as_secs().max(1).into());
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
