//! Writing: one thread per handle, which puts whatever waits into one transaction and answers after
//! its commit.

mod apply;
mod attempts;
mod claim;
mod commit;
mod counters;
mod enqueue;
mod give_back;
mod jobs;
mod lazy_statement;
mod leased_jobs;
mod pause;
mod presence;
mod prune;
mod session;
mod statements;
mod thread;
mod waiting;
mod within;

pub(crate) use apply::SqliteApply;
pub(crate) use claim::SqliteClaim;
pub(crate) use commit::Database;
pub(crate) use counters::SCHEDULED_SLOT;
pub(crate) use enqueue::SqliteEnqueue;
pub(crate) use pause::SqliteSetPaused;
pub(crate) use presence::{SqliteAnnounce, SqliteDrainWorker};
pub(crate) use prune::SqlitePruneSome;
pub(crate) use thread::{SqliteHandle, start};
pub(crate) use within::within;
