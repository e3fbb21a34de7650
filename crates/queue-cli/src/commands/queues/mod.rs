//! Commands about queues: their numbers, their pauses, their partitions and limits.

pub(crate) mod limits;
pub(crate) mod overview;
pub(crate) mod partitions;
pub(crate) mod pause;
pub(crate) mod pauses;
pub(crate) mod series;
pub(crate) mod stats;
pub(crate) mod unknown;
