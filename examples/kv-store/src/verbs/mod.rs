//! Each verb of the contract as one transaction. Nothing here decides what happens to a job: that is
//! [`queue_core::lifecycle`], called in the middle.

mod apply;
mod attempts;
mod claim;
mod counts;
mod enqueue;
mod get;
mod list;
mod prune;
mod queues;

pub(crate) use apply::Apply;
pub(crate) use attempts::Attempts;
pub(crate) use claim::Claim;
pub(crate) use counts::Count;
pub(crate) use enqueue::Enqueue;
pub(crate) use get::Get;
pub(crate) use list::List;
pub(crate) use prune::{PRUNE_CHUNK, PruneChunk};
pub(crate) use queues::Queues;
