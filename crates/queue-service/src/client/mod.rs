//! Calls to the service: what an answer is, and how long to wait before the next attempt.

mod backoff;
mod calls;
#[cfg(test)]
mod noise_tests;

pub(crate) use backoff::Backoff;
pub(crate) use calls::Calls;
