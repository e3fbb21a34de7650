//! Writing: one thread per handle, which puts all waiting calls into one transaction and answers
//! after its commit.

mod apply;
mod aside;
mod attempts;
mod claim;
mod commit;
mod counters;
mod enqueue;
mod give_back;
mod import;
mod jobs;
mod lazy_statement;
mod leased_jobs;
mod new_rows;
mod partitions;
mod pause;
mod presence;
mod prune;
mod series;
mod session;
mod signals;
#[cfg(test)]
mod statement_costs;
mod statements;
mod target_in_hand;
mod thread;
mod waiting;
mod within;

pub(crate) use apply::SqliteApply;
pub(crate) use claim::SqliteClaim;
pub(crate) use commit::Database;
pub(crate) use counters::{GATED_SLOT, HAS_KINDS, HAS_PARTITIONS, SCHEDULED_SLOT};
pub(crate) use enqueue::SqliteEnqueue;
pub(crate) use import::SqliteImport;
pub(crate) use partitions::SqliteSetLimits;
pub(crate) use pause::SqliteSetPaused;
pub(crate) use presence::{SqliteAnnounce, SqliteSetDuty};
pub(crate) use prune::SqlitePruneSome;
pub(crate) use series::SqliteWriteSeries;
pub(crate) use thread::{SqliteHandle, start};
pub(crate) use within::within;
