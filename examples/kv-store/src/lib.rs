//! A job queue in one file of the embedded database `redb`: the whole driver that `queue-kv` needs
//! for it.
//!
//! `src/main.rs` is a program on it, and `tests/conformance_redb.rs` runs the conformance suite.
//! The way to a driver of one's own is `docs/WRITING-A-STORE.md`.

mod redb;

pub use self::redb::RedbKv;
