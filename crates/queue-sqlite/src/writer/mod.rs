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

pub(crate) use apply::Apply;
pub(crate) use claim::Claim;
pub(crate) use commit::Database;
pub(crate) use counters::SCHEDULED_SLOT;
pub(crate) use enqueue::Enqueue;
pub(crate) use pause::SetPaused;
pub(crate) use presence::{Announce, DrainWorker};
pub(crate) use prune::PruneSome;
pub(crate) use thread::{SqliteHandle, start};
pub(crate) use within::within;
