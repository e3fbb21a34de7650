//! What a harness may offer beyond one open handle.

/// What the suite can do with a [`Place`](crate::Place) beyond opening one handle. Cases that need
/// more than a harness offers are listed as ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Facility {
    /// Data outlive the handle: [`connect`](crate::Place::connect) after `close` finds what was
    /// written.
    Reopen,
    /// Handles share data: [`connect`](crate::Place::connect) opens a second handle while the first
    /// is open.
    SecondHandle,
    /// Handles join transactions of an application: [`begin`](crate::Place::begin) begins one.
    Transactions,
    /// The store itself gives back, uncharged, what a claim leased whose future was dropped.
    DroppedClaims,
    /// Handles go by a clock of their own and doubt one that leaps ahead:
    /// [`create_bounded`](crate::Harness::create_bounded) makes a place of such handles. A store
    /// whose time is a server's has none.
    ClockBound,
}
