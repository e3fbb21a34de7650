//! How often jobs may start here. What is counted is starts, at the moment they are decided, so that the limit holds
//! over any overlap of runs (I17): in every window at most the burst and what the rate brings in that time.
//!
//! A queue's limit bounds what is claimed of it, so that nothing is held that may not start. A kind's limit cannot, since a
//! claim does not choose by kind: what is over it is put back, each job until its own turn.
//!
//! Absent on purpose: any limit over several workers, which would need a place of its own in every store.

mod kind_rate;
mod kind_rates;
mod queue_rate;
mod rate_limit;
mod token_bucket;

pub use rate_limit::RateLimit;

pub(super) use kind_rates::KindRates;
pub(crate) use queue_rate::{QueueRate, Reservation};
