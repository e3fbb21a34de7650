//! Commands about jobs: put one in, look at it, wait for its result.

mod all_queues;
pub(crate) mod ending;
pub(crate) mod enqueue;
pub(crate) mod errors;
pub(crate) mod events;
pub(crate) mod job_args;
pub(crate) mod list;
pub(crate) mod over_service;
pub(crate) mod result;
pub(crate) mod show;
pub(crate) mod status;
pub(crate) mod timeline;
pub(crate) mod wait;
