//! The writer thread of a handle, and the verbs that it runs.
//!
//! All waiting calls become one record, which is written and flushed once, and their answers go out
//! after that. Calls that only read need no lock, unless they are grouped with writes; then their
//! answers wait for these writes, which they may have seen.

mod commit;
mod session;
mod thread;
mod verbs;

pub(crate) use commit::FsCommitter;
pub(crate) use thread::{FsHandle, start};
pub(crate) use verbs::{
    FsAnnounce, FsApply, FsCatchUp, FsClaim, FsCountJobs, FsDiagnose, FsEnqueue, FsFlushNow, FsGet, FsImport,
    FsList, FsListPartitions, FsListQueues, FsListWorkers, FsMeasure, FsPruneSome, FsReadAttempts,
    FsReadLimits, FsReadSeries, FsSetDuty, FsSetLimits, FsSetPaused, FsVerify, FsWriteSeries,
};
