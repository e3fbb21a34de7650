//! Commands about queues: their numbers, and their pauses.

pub(crate) mod overview;
pub(crate) mod pause;
pub(crate) mod pauses;
pub(crate) mod series;
pub(crate) mod stats;
