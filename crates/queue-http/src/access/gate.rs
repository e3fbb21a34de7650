//! What a route asks of a caller.

use crate::access::Scope;

/// What a route asks of a caller. A route that has no gate is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gate {
    /// No scope: the route reveals nothing that needs protection.
    Open,
    /// A principal with this scope. If the path names a queue, the principal must have it there.
    Needs(Scope),
}
