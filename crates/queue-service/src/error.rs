//! Why a call to the service has no answer that can be used.

use queue_core::{Certainty, Error, ErrorKind};
use serde::Deserialize;
use std::{fmt, time::Duration};

/// Why a call to the service has no answer that can be used, and so also why a
/// [`ServiceWorker`](crate::ServiceWorker) had to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceError {
    kind: ProblemKind,
    message: String,
    certainty: Certainty,
    retry_after: Option<Duration>,
}

/// What the caller should do: the kinds of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProblemKind {
    /// The request can never succeed as it is. So answers a service that lacks a call or a field,
    /// which is older than this library.
    Invalid,
    /// The token is missing, unknown, revoked or expired.
    Unauthorized,
    /// The token lacks the scope `work`, or the queue.
    Forbidden,
    /// The job or the operation is not there.
    NotFound,
    /// The record kept changing: try again.
    Conflict,
    /// Too many calls: wait, then try again.
    TooMany,
    /// The store of the service does not offer this.
    Unsupported,
    /// There is no answer of the service: try again later. So also if something else answered, such
    /// as a proxy.
    Unavailable,
    /// The service shuts down: try again later.
    Closed,
    /// Stored data is damaged.
    Corrupt,
    /// A bug of the service.
    Internal,
}

/// A problem document.
#[derive(Debug, Deserialize)]
struct ProblemDocument {
    kind: ProblemKind,
    #[serde(default)]
    detail: String,
    #[serde(default)]
    certainty: String,
    retry_after_ms: Option<u64>,
}

impl ProblemKind {
    pub(crate) const fn is_temporary(self) -> bool {
        matches!(self, Self::Conflict | Self::TooMany | Self::Unavailable | Self::Closed)
    }

    /// Whether the same call may succeed later: also after damage and bugs, which people may repair
    /// while a worker goes on.
    pub(crate) const fn may_pass(self) -> bool {
        self.is_temporary() || matches!(self, Self::Corrupt | Self::Internal)
    }

    /// Whether one item of a call may be what the service refuses the whole call for.
    pub(crate) const fn may_be_of_one(self) -> bool {
        matches!(self, Self::Invalid | Self::Corrupt | Self::Internal)
    }
}

impl ServiceError {
    pub(crate) fn new(kind: ProblemKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), certainty: Certainty::NotApplied, retry_after: None }
    }

    /// Something between this program and the service answered, which says nothing about the call.
    pub(crate) fn foreign(status: u16, media_type: &str) -> Self {
        let media_type = if media_type.is_empty() { "no content type" } else { media_type };
        let message = format!("what answered with the status {status} and {media_type} is not the service");
        Self { certainty: Certainty::Unknown, ..Self::new(ProblemKind::Unavailable, message) }
    }

    /// Reads a problem document; `None` for another document.
    pub(crate) fn of_document(body: &[u8]) -> Option<Self> {
        let problem: ProblemDocument = serde_json::from_slice(body).ok()?;
        let is_not_applied = problem.certainty == "not_applied";
        Some(Self {
            kind: problem.kind,
            message: problem.detail,
            certainty: if is_not_applied { Certainty::NotApplied } else { Certainty::Unknown },
            retry_after: problem.retry_after_ms.map(Duration::from_millis),
        })
    }

    /// The same error in other words.
    pub(crate) fn with_message(self, message: impl Into<String>) -> Self {
        Self { message: message.into(), ..self }
    }

    /// What the caller should do.
    pub fn kind(&self) -> ProblemKind {
        self.kind
    }

    /// What the service says, for people.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Whether the call may have been carried out.
    pub fn certainty(&self) -> Certainty {
        self.certainty
    }

    pub(crate) fn is_unknown(&self) -> bool {
        self.certainty == Certainty::Unknown
    }

    pub(crate) fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }
}

impl fmt::Display for ServiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ServiceError {}

/// An error of the connection.
impl From<Error> for ServiceError {
    fn from(error: Error) -> Self {
        let kind = match error.kind() {
            ErrorKind::Invalid => ProblemKind::Invalid,
            _ => ProblemKind::Unavailable,
        };
        Self { certainty: error.certainty(), ..Self::new(kind, error.message()) }
    }
}

/// As events and contexts show it; the error itself is the source.
impl From<ServiceError> for Error {
    fn from(error: ServiceError) -> Self {
        let kind = match error.kind {
            ProblemKind::Conflict => ErrorKind::Conflict,
            ProblemKind::Unsupported => ErrorKind::Unsupported,
            ProblemKind::Corrupt => ErrorKind::Corrupt,
            ProblemKind::Internal => ErrorKind::Internal,
            kind if kind.is_temporary() => ErrorKind::Unavailable,
            _ => ErrorKind::Invalid,
        };
        let is_unknown = error.is_unknown();
        let shown = Self::new(kind, "call the service", error.message.clone()).with_source(error);
        if is_unknown { shown.unknown() } else { shown }
    }
}
