//! The writing thread: it commits all waiting calls in one transaction of the database.

mod apply;
mod claim;
mod commit;
mod enqueue;
mod lives;
mod presence;
mod prune;
mod transaction;

pub(crate) use apply::Apply;
pub(crate) use claim::Claim;
pub(crate) use commit::{Commits, start};
pub(crate) use enqueue::Enqueue;
pub(crate) use presence::{Announce, DrainWorker, SetPaused};
pub(crate) use prune::PruneSome;
