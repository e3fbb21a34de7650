//! The visibility timeout as a primitive: a claim of a message hides it from all other callers for
//! a while. Three patterns need no more than that: a leader, shared rows, and work that overflows
//! to others.

mod basics;
mod demo;
mod leader;
mod message_loop;
mod overflow;
mod sharing;
mod visibility_queue;

pub use demo::demo;
pub use leader::Candidate;
pub use sharing::claim_share;
pub use visibility_queue::Visibility;
