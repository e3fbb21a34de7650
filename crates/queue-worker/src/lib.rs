//! Runs jobs: a [`Router`] of typed handlers, and a [`Worker`] that claims, keeps leases alive,
//! settles in batches, and looks after jobs whose worker died.
//!
//! Read it in this order: [`Router`] and [`Context`], [`JobError`], then [`Worker`] and its
//! builder. The parts that need no store are in [`runtime`]. [`Leadership`] is for work that only
//! one process at a time may do, and [`Permits`] for work that all processes together may start
//! only so often.
//!
//! Invariants kept here: a job's slot is free only after its outcome is durable, so that no more
//! jobs are leased than concurrency plus prefetch; no answer of a handler is dropped without an
//! event that says so; a handler whose lease is lost is asked to stop.
//!
//! Absent on purpose: any store. Time comes from tokio, so that tests can pause it, and randomness
//! from [`Rng`](queue_core::Rng).

pub mod batches;
mod handler;
mod hint_subscription;
mod leadership;
pub mod operations;
mod permits;
mod reserved;
pub mod runtime;
mod shutdown_signal;
mod single;
mod spawn;
#[cfg(feature = "testing")]
pub mod testing;
mod tokio_clock;
mod worker;

#[cfg(feature = "tower")]
pub use handler::JobRequest;
pub use handler::{
    AfterFn, AttemptResult, Before, BeforeFn, CancelReason, Context, HOOK_MAX, Hook, JobError, JobHandler,
    ProgressError, Router, after_fn, before_fn,
};
pub use leadership::{Fence, Leadership, LeadershipBuilder, LeadershipEvent, LostReason, Term};
pub use permits::{Permit, Permits, PermitsBuilder};
pub use reserved::{RESERVED_RETRY, ReservedJob, ReservedOutcome, handle_reserved, trace_ticks};
pub use shutdown_signal::{second_shutdown_signal, shutdown_signal};
pub use tokio_clock::TokioClock;
pub use worker::hosted;
pub use worker::{
    HookStage, InvalidWorker, JobEnd, PruneTick, RateLimit, RescueTick, WorkQueue, Worker, WorkerBuilder,
    WorkerEvent, WorkerEvents, WorkerReport,
};
