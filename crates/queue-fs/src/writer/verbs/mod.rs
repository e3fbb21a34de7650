//! The verbs of the contract, as they run on the thread.

mod change;
mod claim;
mod diagnose;
mod enqueue;
mod read;
mod series;
mod upkeep;

pub(crate) use change::{FsAnnounce, FsApply, FsImport, FsPruneSome, FsSetDuty, FsSetLimits, FsSetPaused};
pub(crate) use claim::FsClaim;
pub(crate) use diagnose::FsDiagnose;
pub(crate) use enqueue::FsEnqueue;
pub(crate) use read::{
    FsCountJobs, FsGet, FsList, FsListPartitions, FsListQueues, FsListWorkers, FsMeasure, FsReadAttempts,
    FsReadLimits, FsVerify,
};
pub(crate) use series::{FsReadSeries, FsWriteSeries};
pub(crate) use upkeep::{FsCatchUp, FsFlushNow};
