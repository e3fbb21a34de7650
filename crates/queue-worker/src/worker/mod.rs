//! The worker over a store. Its folders are named after what happens to a job, in the order in
//! which it happens:
//!
//! | folder | what it does | next |
//! |---|---|---|
//! | `setup` | checks what the program asked for and makes a [`Worker`] of it | `run` |
//! | `run` | owns one run: starts the parts below and takes the steps of the shutdown | `claim` |
//! | `claim` | deals free slots to the queues and claims jobs for them | `attempt` |
//! | `attempt` | starts handlers, with hooks and under time limits | `settle` |
//! | `settle` | stores what came of each attempt | the slot is free: `claim` |
//!
//! Five folders stand beside that path. `hold` has the jobs under lease from their claim until
//! their outcome is durable, and sends the heartbeats. `rate` limits how often jobs start. `upkeep`
//! ends lapsed leases and removes old records. `watch` shows the program and its operators what
//! happens, and `trace` makes spans for `tracing`. `hosted` has the attempt alone, for workers that
//! get their jobs by another way than a store.
//!
//! Dependencies go down the path: `claim` calls `attempt`, `attempt` makes what `settle` stores,
//! and neither knows who called. One type is known everywhere: [`run::WorkerRun`], which has what
//! the parts of a run share, and so depends on the types of `hold`, `rate`, `setup` and `watch`
//! that it has as fields. What comes back up the path (a slot is free, a job was let go) is a
//! signal that `hold` gives, so that `settle` need not know `claim`.

mod attempt;
mod claim;
mod deadline;
mod hold;
pub mod hosted;
mod rate;
mod run;
mod settle;
mod setup;
mod trace;
mod upkeep;
mod watch;

pub use rate::RateLimit;
pub use run::Worker;
pub use setup::{InvalidWorker, WorkQueue, WorkerBuilder};
pub use upkeep::{PruneTick, RescueTick};
pub use watch::{HookStage, JobEnd, WorkerEvent, WorkerEvents, WorkerReport};

pub(crate) use hold::{HeldJob, Lease};
pub(crate) use run::fresh_id;
pub(crate) use trace::TARGET as TRACE_TARGET;
