//! Threads that a store's handle owns: each has a stop signal, and ends with the handle.

mod mailbox;
pub mod watcher;

pub use mailbox::Mailbox;
