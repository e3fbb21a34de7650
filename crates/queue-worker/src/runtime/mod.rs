//! The parts that need no store. They are plain traits over any item, so that a program can run them with things of
//! its own.

mod handler;

pub use handler::Handler;
