//! When a store is worth asking again, for everybody who waits: workers, pull mode, waits for a
//! result, candidates of an election.
//!
//! [`NextAsk`] decides, from what answers promise, from hints and from errors; it reads no clock
//! and starts no timer. The waits after errors and between polls are jittered, so that callers that
//! were started together drift apart.

mod backoff;
mod next_ask;
#[cfg(test)]
mod next_ask_tests;

pub use backoff::{after_error, jittered};
pub use next_ask::{AfterClaim, NextAsk};
