//! Servers of stores for tests, and the harness that runs the suite through them.
#![allow(dead_code, reason = "each test file uses a part")]

pub(crate) mod harness;
pub(crate) mod server;
