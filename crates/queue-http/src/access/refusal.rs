//! The answers to requests that no handler sees.

use crate::problem::{Problem, ProblemKind};
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header::CONNECTION};

/// Why a request is refused. The answer is the same for unknown, wrong, expired and revoked tokens,
/// and does not reveal whether a queue exists that the caller may not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The head of the request is not what it must be.
    Malformed(&'static str),
    /// The service is reached by a name that is not its own.
    Misdirected,
    /// A page of another site made the request.
    CrossSite,
    /// The service does not know the caller.
    Unauthorized,
    /// The caller is known, and may not do this.
    Forbidden(&'static str),
    /// No call has this path.
    NotFound,
    /// No call has this path and this method.
    Method,
    /// The body is not what the call takes.
    MediaType,
    /// The body is larger than may be.
    TooLarge,
    /// The body did not come in time.
    TooSlow,
    /// The call takes no body.
    NoBody,
    /// The bodies of other requests take all the room.
    Busy,
    /// The bodies of the caller's other requests take its share of the room.
    ShareBusy,
    /// The token ended before there was an answer.
    Ended,
    /// The handler did not answer in time.
    Overdue,
}

impl Refusal {
    fn problem(self) -> Problem {
        let invalid = |status: StatusCode, detail: &'static str| Problem::invalid(detail).with_status(status);
        match self {
            Self::Malformed(why) => Problem::invalid(why),
            Self::Misdirected => invalid(
                StatusCode::MISDIRECTED_REQUEST,
                "the service does not answer to the name in the header Host",
            ),
            Self::CrossSite => {
                Problem::new(ProblemKind::Forbidden, "pages of other sites may not change anything here")
            }
            Self::Unauthorized => Problem::new(
                ProblemKind::Unauthorized,
                "send a token that is valid here in the header Authorization: Bearer qk_.., or use a client certificate",
            ),
            Self::Forbidden(why) => Problem::new(ProblemKind::Forbidden, why),
            Self::NotFound => Problem::not_found("there is no such call; see docs/service/protocol.md"),
            Self::Method => invalid(StatusCode::METHOD_NOT_ALLOWED, "this path takes another method"),
            Self::MediaType => invalid(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "send JSON, with the content type application/json",
            ),
            Self::TooLarge => Problem::too_large("the body has more bytes than /v1/limits says"),
            Self::TooSlow => invalid(StatusCode::REQUEST_TIMEOUT, "the body did not come in time"),
            Self::NoBody => Problem::invalid("this call takes no body"),
            Self::ShareBusy => Problem::new(
                ProblemKind::TooMany,
                "the requests of this token have too many bytes on their way at the same time",
            ),
            Self::Busy => {
                Problem::new(ProblemKind::Unavailable, "too many bodies are on their way at the same time")
            }
            Self::Ended => Problem::new(
                ProblemKind::Unauthorized,
                "the token ended before there was an answer; what it asked for may have been done",
            )
            .unknown(),
            Self::Overdue => Problem::new(
                ProblemKind::Unavailable,
                "there was no answer in time; it may have been done all the same",
            )
            .unknown(),
        }
    }

    /// Whether bytes of the request may be unread, so that nothing that follows them on the same
    /// connection can be trusted to be a request.
    fn ends_connection(self) -> bool {
        !matches!(self, Self::NotFound | Self::Method | Self::Ended | Self::Overdue)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = self.problem().into_response();
        if self.ends_connection() {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}
