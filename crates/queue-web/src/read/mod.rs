//! What pages read of a store, within bounds, and once for all who look at the same time.

mod queues;
mod snapshots;
mod work;

pub(crate) use queues::QueueList;
pub(crate) use snapshots::Snapshots;
pub(crate) use work::{ChartedWork, Stretch};
