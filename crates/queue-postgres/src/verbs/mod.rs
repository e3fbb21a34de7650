//! The verbs of the contract, one per file, each as the statements that it sends.

mod apply;
mod attempts;
mod claim;
mod counts;
mod diagnose;
mod enqueue;
mod enqueue_new;
mod gates;
mod get;
mod import;
mod kind_pause;
mod limits;
mod list;
mod listen;
mod pause;
mod presence;
mod prune;
mod rounds;
mod series;
mod short_column;
mod verify;

pub(crate) use apply::{PostgresApply, apply_all};
pub(crate) use attempts::PostgresReadAttempts;
pub(crate) use claim::{FoldFirst, PostgresClaim};
pub(crate) use counts::{PostgresCountJobs, PostgresListQueues};
pub(crate) use diagnose::PostgresDiagnose;
pub(crate) use enqueue::{PostgresEnqueue, are_orphans, enqueue_jobs};
pub(crate) use enqueue_new::PostgresEnqueueNew;
pub(crate) use gates::{
    PostgresFoldGates, PostgresLookAtGates, fold_after, fold_all, fold_crowds, held_until,
};
pub(crate) use get::PostgresGet;
pub(crate) use import::PostgresImport;
pub(crate) use kind_pause::{PostgresForgetLines, PostgresSetKindPaused};
pub(crate) use limits::{PostgresListPartitions, PostgresReadLimits, PostgresSetLimits};
pub(crate) use list::PostgresList;
pub(crate) use listen::{PostgresFollow, PostgresIntern, PostgresNotify};
pub(crate) use pause::PostgresSetPaused;
pub(crate) use presence::{PostgresAnnounce, PostgresListWorkers, PostgresSetDuty};
pub(crate) use prune::PostgresPruneSome;
pub(crate) use series::{PostgresReadSeries, PostgresWriteSeries};
pub(crate) use verify::PostgresVerify;
