//! What a harness may offer beyond one open handle.

/// What the suite can do with a [`Place`](crate::Place) beyond using one handle. Cases that need
/// more than a harness offers are listed as ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Facility {
    /// Data outlive the handle: [`connect`](crate::Place::connect) after `close` finds what was
    /// written.
    Reopen,
    /// Handles share data: [`connect`](crate::Place::connect) answers a second one while the first
    /// is open.
    SecondHandle,
    /// Handles join transactions of an application: [`begin`](crate::Place::begin) answers one.
    Transactions,
    /// What a claim leases whose future is dropped is given back by the store itself, uncharged.
    DroppedClaims,
}
