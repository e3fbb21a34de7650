//! Reading: a few threads with connections of their own, so that no read waits for a write or the
//! other way round.

mod attempts;
mod counts;
mod diagnose;
mod first_of_each;
mod gates;
mod get;
mod index_range;
mod list;
mod partitions;
mod pool;
mod queues;
mod series;
mod snapshot;
mod verify;
mod workers;

pub(crate) use diagnose::{diagnose, of_disk};
pub(crate) use pool::{READERS, Readers};
pub(crate) use snapshot::Snapshot;
pub(crate) use verify::verify;
pub(crate) use workers::workers;
