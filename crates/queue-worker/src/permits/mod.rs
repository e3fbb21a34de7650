//! So many starts in any period, over all processes: permanent jobs that whoever starts something snoozes.
//!
//! Every limit is a queue of its own with as many jobs as there may be starts in a period, none of which is ever completed. To get
//! a permit is to claim one; to start is to snooze it for the period, so that it cannot be claimed, nor started by, before the
//! period has passed; a permit that is not used is released, and whoever dies with one lets the lease lapse. So any period
//! begins as many starts as there are jobs, and the limit needs nothing of a store beyond the contract.
//!
//! Invariants kept here: two starts by one permit are a period apart by the store's clock; a permit that is dropped has started
//! nothing and goes back.
//!
//! Absent on purpose: a count of what runs at the same time, which is what a worker's concurrency bounds; weights; a bucket that
//! fills up while nothing happens, since a burst after a rest would exceed the limit in some period.

mod builder;
mod limiter;
mod permit;

pub use builder::PermitsBuilder;
pub use limiter::Permits;
pub use permit::Permit;
