//! A part of a store over the protocol of `queue serve`: what a producer and a viewer may do.
//!
//! [`ServiceStore`] is a [`Storage`](queue_core::Storage) whose verbs are calls of `/v1`, each with
//! a scope of its own, so that code which enqueues and looks runs with a token that can do no more.
//! It is for calls by hand, such as the commands of `queue`: a page is a call, and a body is one.
//!
//! Invariant kept here: what is read is what the documents of `queue-view` say, so a job that was
//! read here is shown as the same document again.
//!
//! Absent on purpose: claims, settles and changes by transitions, which need the records
//! themselves. Their verbs answer `Unsupported`. Waits and cancels are methods of the handle, since
//! the service waits and decides itself.

mod answers;
mod body_json;
mod call_error;
mod job_json;
mod listing;
#[cfg(test)]
mod noise_tests;
mod partition_json;
mod queue_json;
mod service_store;
mod storage;

pub use answers::Ended;
pub use service_store::{Changed, ServiceStore};
