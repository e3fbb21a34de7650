//! The verbs that only read, each at one moment of the database, on threads of their own.

mod get;
mod list;
mod partitions;
mod pool;
mod queues;
mod series;
mod verify;

pub(crate) use pool::Readers;
pub(crate) use queues::workers;
pub(crate) use verify::verify;
