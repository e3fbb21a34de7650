//! What a program asks of a worker.
//!
//! In come the calls of the builder. Out goes a [`Worker`](super::Worker) with checked settings, or
//! an error that names the setting. Next is `run`.

mod attempt_settings;
mod builder;
pub(super) mod guarded_policy;
mod invalid_worker;
pub(super) mod prefetch;
mod watch_settings;
mod work_queue;
mod worked_queue;
mod worker_options;

pub use builder::WorkerBuilder;
pub use invalid_worker::InvalidWorker;
pub use work_queue::WorkQueue;

pub(super) use prefetch::Prefetch;
pub(super) use worked_queue::WorkedQueue;
pub(super) use worker_options::{EndCondition, WorkerOptions};
