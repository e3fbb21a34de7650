//! The facade: on memory under paused time, on files by waiting for signals.

mod enqueue;
mod manage;
mod open;
mod options;
mod pull;
mod pull_drop;
mod support;
mod testing;
mod wait;
mod wait_bad_store;
mod worker;
mod worker_sqlite;
