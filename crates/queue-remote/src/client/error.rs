//! What went wrong on the way, in terms of what the caller should do.

use crate::{
    contract::{CONTRACT, LIBRARY, LIBRARY_VERSION, fingerprint},
    contract_mismatch::ContractMismatch,
    endpoint::Endpoint,
    tls,
};
use http::{HeaderMap, StatusCode};
use hyper_util::client::legacy;
use queue_core::{Error, ErrorKind};
use std::{error::Error as StdError, fmt, io};

/// Why a request has no answer.
pub(super) fn lost(operation: &'static str, endpoint: &Endpoint, error: legacy::Error) -> Error {
    if error.is_connect() {
        return unreachable(operation, endpoint, error);
    }
    let parses = chain(&error).filter_map(|error| error.downcast_ref::<hyper::Error>());
    let (kind, message) = if parses.into_iter().any(hyper::Error::is_parse) {
        (ErrorKind::Corrupt, format!("what answers at {endpoint} is no HTTP server"))
    } else {
        (ErrorKind::Unavailable, "the connection to the server was lost".to_owned())
    };
    Error::new(kind, operation, message).unknown().with_source(error)
}

/// Why there is no connection, so that nothing was sent.
fn unreachable(operation: &'static str, endpoint: &Endpoint, error: legacy::Error) -> Error {
    let advice = chain(&error).find_map(tls::verdict);
    let cause = chain(&error).find_map(|error| error.downcast_ref::<io::Error>());
    let message = match (&advice, cause) {
        (Some(advice), _) => format!("{endpoint}: {advice}"),
        (None, Some(cause)) => format!("no server can be reached at {endpoint} ({cause}); is it running?"),
        (None, None) => format!("no server can be reached at {endpoint}"),
    };
    // The settings worked when the handle was opened, so it is the server that changed, and may
    // change back.
    let is_own_fault = advice.is_some() && operation == "open";
    let kind = if is_own_fault { ErrorKind::Invalid } else { ErrorKind::Unavailable };
    let unreachable = Error::new(kind, operation, message);
    // The cause is quoted, and the driver's words around it add nothing.
    if advice.is_some() || cause.is_some() { unreachable } else { unreachable.with_source(error) }
}

pub(super) fn silent(operation: &'static str) -> Error {
    Error::new(ErrorKind::Unavailable, operation, "the server did not answer in time").unknown()
}

/// An answer of the right form that cannot be read, or one that has no end.
pub(super) fn unreadable(operation: &'static str, why: impl Into<Box<dyn StdError + Send + Sync>>) -> Error {
    let why = why.into();
    let message = format!("the server answered what no server of this version answers: {why}");
    Error::new(ErrorKind::Corrupt, operation, message).unknown().with_source(why)
}

/// The connection was cut in the middle of an answer.
pub(super) fn cut(operation: &'static str, error: hyper::Error) -> Error {
    let message = "the connection to the server was lost in the middle of its answer";
    Error::new(ErrorKind::Unavailable, operation, message).unknown().with_source(error)
}

/// The other side is of another build. The server refuses such a request before it reads it.
pub(super) fn mismatch(operation: &'static str, headers: &HeaderMap) -> Option<Error> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let theirs = text(CONTRACT)?;
    if theirs == fingerprint() {
        return None;
    }
    let mismatch = ContractMismatch::new(LIBRARY_VERSION, text(LIBRARY).unwrap_or("unknown"));
    Some(Error::new(ErrorKind::Unsupported, operation, mismatch.to_string()).with_source(mismatch))
}

/// The server knows the caller and does not let it use the store directly: its token lacks the
/// scope `store`, or the server asks for no token. The [`source`](StdError::source) of the error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreForbidden {
    /// What the server says, for people.
    pub reason: String,
}

impl StoreForbidden {
    /// The refusal in a problem document of the server.
    pub(super) fn error(operation: &'static str, endpoint: &Endpoint, reason: String) -> Error {
        // As for other refusals: it worked when the handle was opened.
        let kind = if operation == "open" { ErrorKind::Invalid } else { ErrorKind::Unavailable };
        Error::new(kind, operation, format!("{endpoint}: {reason}")).with_source(Self { reason })
    }
}

impl fmt::Display for StoreForbidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl StdError for StoreForbidden {}

/// An answer that comes from no server of this library, but from something before it. Whether the
/// request was carried out is unknown.
pub(super) fn foreign(
    operation: &'static str,
    endpoint: &Endpoint,
    status: StatusCode,
    has_token: bool,
) -> Error {
    let advice = refused(operation, endpoint, status, has_token);
    // An opening changes nothing, and its caller wants advice about the URL.
    if operation == "open" {
        return advice;
    }
    Error::new(ErrorKind::Unavailable, operation, advice.message().to_owned()).unknown()
}

/// A refusal by the server around the store.
pub(super) fn refused(
    operation: &'static str,
    endpoint: &Endpoint,
    status: StatusCode,
    has_token: bool,
) -> Error {
    let (kind, message) = match status {
        StatusCode::UNAUTHORIZED if !has_token => {
            (ErrorKind::Invalid, "the server wants a token; see `token-file`")
        }
        StatusCode::UNAUTHORIZED => (
            ErrorKind::Invalid,
            "the token is unknown or revoked; check its file (--token-file, or `token-file` in the URL)",
        ),
        StatusCode::FORBIDDEN => (ErrorKind::Invalid, "the token does not allow direct use of the store"),
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => {
            (ErrorKind::Invalid, "no store is served there; check the path of the URL, and the server")
        }
        StatusCode::PAYLOAD_TOO_LARGE => {
            (ErrorKind::Invalid, "the server, or a proxy before it, takes less at once")
        }
        StatusCode::TOO_MANY_REQUESTS => {
            (ErrorKind::Unavailable, "the server has too many requests; try again")
        }
        status if status.is_server_error() => {
            let message = format!("{endpoint} answers {status} in place of a store; try again");
            return Error::new(ErrorKind::Unavailable, operation, message).unknown();
        }
        status => {
            let message = format!("{endpoint} answers {status}, as no server of a store does");
            return Error::new(ErrorKind::Corrupt, operation, message).unknown();
        }
    };
    // As above: it worked when the handle was opened. A call that is too large is the caller's.
    let is_mended_elsewhere = operation != "open" && status != StatusCode::PAYLOAD_TOO_LARGE;
    let kind = if is_mended_elsewhere { ErrorKind::Unavailable } else { kind };
    Error::new(kind, operation, format!("{endpoint}: {message}"))
}

/// An error and what it came from.
fn chain<'e>(error: &'e (dyn StdError + 'static)) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |error: &&'e (dyn StdError + 'static)| (*error).source())
}
