//! The verbs of the contract, as they run on the thread.

mod change;
mod claim;
mod diagnose;
mod enqueue;
mod read;
mod series;
mod upkeep;

pub(crate) use change::{FsAnnounce, FsApply, FsImport, FsPruneSome, FsSetDuty, FsSetPaused};
pub(crate) use claim::FsClaim;
pub(crate) use diagnose::FsDiagnose;
pub(crate) use enqueue::FsEnqueue;
pub(crate) use read::{
    FsCountJobs, FsGet, FsList, FsListQueues, FsListWorkers, FsMeasure, FsReadAttempts, FsVerify,
};
pub(crate) use series::{FsReadSeries, FsWriteSeries};
pub(crate) use upkeep::{FsCatchUp, FsFlushNow};
