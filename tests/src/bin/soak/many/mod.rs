//! What the runs over many stored jobs share: the stores, the jobs, the processes that are killed.

mod fill;
mod orphan;
mod runner;
mod store_place;
mod usage;
mod yielding;

pub(crate) use fill::{Templates, fill, number_of, numbered, payload_text, read_whole};
pub(crate) use orphan::end_with_parent;
pub(crate) use runner::Runner;
pub(crate) use store_place::{StoreKind, StorePlace};
pub(crate) use usage::Usage;
pub(crate) use yielding::YieldingStore;

/// The queue of these runs.
pub(crate) const QUEUE: &str = "soak-many";
