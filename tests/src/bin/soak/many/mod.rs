//! What the runs over many stored jobs share: the stores, the jobs, the processes that are killed.

mod clock;
mod fill;
mod fleet;
mod orphan;
mod runner;
mod server;
mod store_place;
mod usage;
mod worker;
mod yielding;

pub(crate) use clock::shared_clock;
pub(crate) use fill::{Templates, fill, number_of, numbered, payload_text, read_whole};
pub(crate) use fleet::Fleet;
pub(crate) use orphan::end_with_parent;
pub(crate) use runner::Runner;
pub(crate) use server::server_busy;
pub(crate) use store_place::{StoreKind, StorePlace};
pub(crate) use usage::Usage;
pub(crate) use worker::{
    COMPLETES, Expected, FAILS, FAILS_ONE_IN, REPORTS, WAITS, WorkerArgs, kept_job, numbered_job, run_worker,
    start_worker, store,
};
pub(crate) use yielding::YieldingStore;

/// The queue of these runs.
pub(crate) const QUEUE: &str = "soak-many";
