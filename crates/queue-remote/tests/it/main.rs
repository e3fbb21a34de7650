//! Tests of this crate as one program: each would otherwise be linked with the whole library once
//! more. A module is what a test file would be.

mod any_request;
#[path = "../common/mod.rs"]
mod common;
mod dropped;
mod fake;
mod faults;
mod hints;
mod jobs;
mod killed;
mod loads;
mod odd_answers;
mod odd_requests;
mod opening;
#[cfg(feature = "tls")]
mod tls;
