//! A number of starts in any period, over all processes. The starts are permanent jobs, which a
//! process snoozes to start something.
//!
//! Every limit is a queue of its own with as many jobs as there may be starts in a period, none of
//! which is ever completed. A permit is a claim of one of them. A start snoozes the job for the
//! period, so that it cannot be claimed again before the period has passed. A permit that is not
//! used is released, and the lease of a process that dies lapses. So at most as many starts fall
//! into any period as there are jobs, and the limit needs nothing of a store beyond the contract.
//!
//! Invariants kept here: two starts by one job are a period apart by the store's clock; a permit
//! that is dropped has started nothing and goes back.
//!
//! Absent on purpose: a count of what runs at the same time, which is what a worker's concurrency
//! bounds; weights; a bucket that fills up while nothing happens, since a burst after a rest would
//! exceed the limit in some period.

mod builder;
mod limiter;
mod permit;

pub use builder::PermitsBuilder;
pub use limiter::Permits;
pub use permit::Permit;
