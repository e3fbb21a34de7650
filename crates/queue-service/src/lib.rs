//! A worker over the protocol of `queue serve`: a program on any host claims jobs with a token of
//! the scope `work`, and can do nothing else to the store. Beside it stands [`ServiceStore`], by
//! which a program enqueues and looks with a token that can do no more.
//!
//! [`ServiceWorker`] runs the handlers of a [`Router`](queue_worker::Router), as the worker over a
//! store does: the same contexts, errors, events and report, so that a handler need not know which
//! of the two runs it.
//!
//! | to understand | read |
//! |---|---|
//! | what a run consists of, and how it ends | `run/mod.rs` |
//! | how jobs are claimed so that none is lost | `run/claims.rs` |
//! | how an outcome reaches the service | `run/outcome.rs`, then `run/batches.rs` |
//! | what a producer and a viewer may do without the store | `store/mod.rs` |
//! | what travels | `wire/mod.rs`, and `docs/service/protocol.md` |
//!
//! Invariants kept here: a slot is free only after the service has given its verdict on the
//! outcome; a claim without an answer is asked after; a handler whose lease is lost is asked to
//! stop.
//!
//! Absent on purpose: hooks, rate limits, several queues for one worker, schedules and the rescue
//! of lapsed leases. The first three belong to the worker over a store, the others to the service.

mod client;
mod error;
mod run;
mod spawn;
mod store;
mod wire;
mod worker;
mod worker_builder;

pub use error::{ProblemKind, ServiceError};
pub use store::{Changed, Ended, ServiceStore};
pub use worker::ServiceWorker;
pub use worker_builder::ServiceWorkerBuilder;
