//! The writing thread: it commits all waiting calls in one transaction of the database.

mod apply;
mod claim;
mod commit;
mod enqueue;
mod import;
mod kinds;
mod lives;
mod partitions;
mod presence;
mod prune;
mod series;
mod signals;
mod transaction;

pub(crate) use apply::KvApply;
pub(crate) use claim::KvClaim;
pub(crate) use commit::{Commits, start};
pub(crate) use enqueue::KvEnqueue;
pub(crate) use import::KvImport;
pub(crate) use partitions::KvSetLimits;
pub(crate) use presence::{KvAnnounce, KvSetDuty, KvSetPaused};
pub(crate) use prune::KvPruneSome;
pub(crate) use series::KvWriteSeries;
