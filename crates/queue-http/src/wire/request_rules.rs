//! What the parts of a request are checked against.

use crate::limits::ServiceLimits;
use queue_core::{IdSource, Limits};

/// What the jobs and the data of a request are checked against.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestRules<'a> {
    /// Draws the ids of jobs that name none.
    pub(crate) ids: &'a dyn IdSource,
    /// The limits of the store.
    pub(crate) store: &'a Limits,
    /// The limits of the service.
    pub(crate) service: &'a ServiceLimits,
}
