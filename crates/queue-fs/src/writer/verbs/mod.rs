//! The verbs of the contract, as they run on the thread.

mod change;
mod claim;
mod enqueue;
mod read;
mod upkeep;

pub(crate) use change::{FsAnnounce, FsApply, FsDrainWorker, FsPruneSome, FsSetPaused};
pub(crate) use claim::FsClaim;
pub(crate) use enqueue::FsEnqueue;
pub(crate) use read::{
    FsCountJobs, FsGet, FsList, FsListQueues, FsListWorkers, FsMeasure, FsReadAttempts, FsVerify,
};
pub(crate) use upkeep::{FsCatchUp, FsFlushNow};
