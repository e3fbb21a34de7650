//! One run of a worker, from [`Worker::run`] to its report.
//!
//! In come the checked settings, as a [`WorkerPlan`]. Every run makes a [`WorkerRun`] of them,
//! which its parts share, and a `Supervisor`, which starts the parts and takes the steps of the
//! shutdown. Next is `claim`.
//!
//! This folder and the others depend on each other: the supervisor starts parts of each, and all of
//! them work on `WorkerRun`.

mod member;
mod run_name;
mod shutdown_steps;
mod supervisor;
mod worker;
mod worker_pause;
mod worker_plan;
mod worker_run;

pub use worker::Worker;

pub(crate) use run_name::fresh_id;
pub(crate) use worker_run::WorkerRun;
pub(super) use {run_name::RunNames, worker_plan::WorkerPlan};
