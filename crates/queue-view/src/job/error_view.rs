//! A failure as JSON.

use queue_core::{Attempt, Failure};
use serde::Serialize;

/// A failure, without its details.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = JobError))]
pub struct ErrorView<'a> {
    /// What programs match on.
    name: &'a str,
    /// What people read.
    message: &'a str,
}

impl<'a> From<&'a Failure> for ErrorView<'a> {
    fn from(failure: &'a Failure) -> Self {
        Self { name: failure.name(), message: failure.message() }
    }
}

impl<'a> From<&'a Attempt> for ErrorView<'a> {
    fn from(attempt: &'a Attempt) -> Self {
        Self { name: &attempt.error_name, message: &attempt.error_message }
    }
}
