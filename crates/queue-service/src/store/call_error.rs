//! What a failed call is to a caller of a store.

use crate::ServiceError;
use queue_core::{Error, ErrorKind};

/// An answer whose parts are none of this library.
pub(super) fn unreadable(operation: &'static str, what: &str) -> Error {
    let message = format!("the service answers {what}, which this version does not know");
    Error::new(ErrorKind::Corrupt, operation, message)
}

/// The error of a verb that got no answer.
pub(super) fn of_call(operation: &'static str) -> impl Fn(ServiceError) -> Error {
    move |error| Error::from(error).during(operation)
}
