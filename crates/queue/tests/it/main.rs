//! Tests of the facade: on memory under paused time, on files by waiting for signals.

mod debounce;
mod enqueue;
mod enqueue_hooks;
mod events;
mod expiry;
mod follow_ups;
mod listing;
mod manage;
mod open;
mod options;
mod pull;
mod pull_drop;
mod pull_lost;
mod pull_many;
mod schedules;
mod sealed;
mod support;
mod testing;
mod unique;
mod wait;
mod wait_bad_store;
mod waits;
mod worker;
mod worker_sqlite;
