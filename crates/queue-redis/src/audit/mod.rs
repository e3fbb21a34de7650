//! The cross-check: everything of a queue, read at one moment, must add up (I20).

mod check;
mod dump;
mod gates;
mod partitions;
mod waiting;

pub(crate) use check::audit;
pub(crate) use dump::Dump;
