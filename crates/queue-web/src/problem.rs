//! Why a request was not carried out, in words for people.

use http::StatusCode;
use queue_core::{Error, ErrorKind, InvalidName};
use queue_http::Scope;
use queue_view::InvalidFilter;
use std::borrow::Cow;

pub(crate) type Result<T, E = WebProblem> = std::result::Result<T, E>;

/// Why a request was not carried out. It has no word of a driver in it: what the store said is in
/// the log.
#[derive(Clone, Debug)]
pub(crate) struct WebProblem {
    pub(crate) status: StatusCode,
    pub(crate) words: Cow<'static, str>,
}

impl WebProblem {
    pub(crate) fn new(status: StatusCode, words: impl Into<Cow<'static, str>>) -> Self {
        Self { status, words: words.into() }
    }

    pub(crate) fn invalid(words: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, words)
    }

    pub(crate) fn not_found(words: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::NOT_FOUND, words)
    }

    pub(crate) fn forbidden(words: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::FORBIDDEN, words)
    }

    pub(crate) fn lacks(scope: Scope) -> Self {
        Self::forbidden(format!("This needs the scope “{scope}”, which your token lacks."))
    }

    /// What the door says without words.
    pub(crate) fn of_status(status: StatusCode) -> Self {
        let words = match status {
            StatusCode::MISDIRECTED_REQUEST => "This dashboard does not answer to the name in the address.",
            StatusCode::FORBIDDEN => "Pages of other sites may not change anything here.",
            StatusCode::PAYLOAD_TOO_LARGE => "The form is larger than any form of this dashboard.",
            StatusCode::REQUEST_TIMEOUT => "The form did not arrive in time.",
            _ => "The request is not one that a browser makes.",
        };
        Self::new(status, words)
    }

    pub(crate) fn title(&self) -> &'static str {
        match self.status {
            StatusCode::UNAUTHORIZED => "Log in first",
            StatusCode::FORBIDDEN => "Not allowed",
            StatusCode::NOT_FOUND => "Not found",
            StatusCode::METHOD_NOT_ALLOWED => "Not a page",
            StatusCode::SERVICE_UNAVAILABLE => "The store does not answer",
            StatusCode::NOT_IMPLEMENTED => "The store does not offer this",
            StatusCode::CONFLICT => "It changed meanwhile",
            status if status.is_server_error() => "Something is wrong",
            _ => "This did not work",
        }
    }
}

impl From<Error> for WebProblem {
    fn from(error: Error) -> Self {
        let told = || Cow::Owned(format!("{}.", error.message()));
        let (status, words) = match error.kind() {
            ErrorKind::Invalid => (StatusCode::BAD_REQUEST, told()),
            ErrorKind::Unsupported => (StatusCode::NOT_IMPLEMENTED, told()),
            ErrorKind::Conflict => (StatusCode::CONFLICT, told()),
            ErrorKind::Unavailable => (
                StatusCode::SERVICE_UNAVAILABLE,
                "The store cannot answer now. Try again in a moment.".into(),
            ),
            ErrorKind::Closed => (StatusCode::SERVICE_UNAVAILABLE, "The store is closed.".into()),
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "The log of the service says what went wrong.".into()),
        };
        if status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED {
            tracing::warn!(%error, operation = error.operation(), "the store did not answer a page");
        }
        Self { status, words }
    }
}

impl From<InvalidName> for WebProblem {
    fn from(invalid: InvalidName) -> Self {
        Self::invalid(format!("{invalid}."))
    }
}

impl From<InvalidFilter> for WebProblem {
    fn from(invalid: InvalidFilter) -> Self {
        Self::invalid(format!("{invalid}."))
    }
}
