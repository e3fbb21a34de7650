//! When a caller that waits asks the store again: workers, pull mode, waits for a result,
//! candidates of an election.
//!
//! [`NextAsk`] decides this from the promises in answers, from hints and from errors; it reads no
//! clock and starts no timer. The waits after errors and between polls are jittered, so that
//! callers that were started together drift apart. [`StoreAnswers`] decides which lapsed leases a
//! caller leaves alone because it had no answers.

mod backoff;
mod next_ask;
#[cfg(test)]
mod next_ask_tests;
mod store_answers;

pub use backoff::{after_error, jittered};
pub use next_ask::{AfterClaim, NextAsk};
pub use store_answers::StoreAnswers;
