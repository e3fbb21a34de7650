//! The facade over the store in memory, under paused time: what it says is what happens, and nothing waits in vain.

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
