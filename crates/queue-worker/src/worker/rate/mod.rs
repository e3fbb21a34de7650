//! How often jobs may start here. Starts are counted at the moment at which they are decided, so
//! that a limit holds over any overlap of runs (I17): every window has at most the burst and what
//! the rate brings in that time.
//!
//! A queue's limit bounds what `claim` asks for, so that no job is held that may not start. A
//! kind's limit cannot do that, since a claim does not choose by kind. `attempt` asks it at each
//! start, and puts a job over the limit back until its own turn.
//!
//! Absent on purpose: any limit over several workers, which would need a place of its own in every
//! store.

mod kind_rate;
mod kind_rates;
mod queue_rate;
mod rate_limit;
mod token_bucket;

pub use rate_limit::RateLimit;

pub(super) use kind_rate::KindTurn;
pub(super) use kind_rates::KindRates;
pub(super) use queue_rate::{QueueRate, Reservation};
