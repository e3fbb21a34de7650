//! Wake-ups by other processes: for each runtime that subscribes one connection that listens, and
//! the subscribers of that runtime behind it.
//!
//! Hints save time and never matter for being right: a connection that is lost or only looks alive
//! costs a re-read by each subscriber once there is a new one.

mod audience;
mod following_stream;
mod listener;
mod message;
mod runtime_hints;
mod runtime_hub;
mod wakeups;

pub(crate) use runtime_hub::RuntimeHub;
pub(crate) use wakeups::{ListenerState, Wakeups};
