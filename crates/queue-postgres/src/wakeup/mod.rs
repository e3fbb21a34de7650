//! Wake-ups by other processes: one connection that listens, and the subscribers of this process
//! behind it.
//!
//! Hints save time and never matter for being right: a connection that is lost or only looks alive
//! costs a re-read by everybody once there is a new one.

mod following_stream;
mod listener;
mod message;
mod wakeups;

pub(crate) use wakeups::{ListenerState, Wakeups};
