//! Tests of this crate as one program: each would otherwise be linked with the whole library once
//! more. A module is what a test file would be.
//!
//! Two stay by themselves: `crash` ends every session of the server, and `dead_rows` holds a
//! snapshot that keeps the server from cleaning up.

mod addresses;
mod amending;
mod backstop;
mod circles;
#[path = "../common/mod.rs"]
mod common;
mod counters;
#[path = "../database/mod.rs"]
mod database;
mod deadlocks;
mod doctor;
mod dropped;
mod faults;
mod gates;
mod isolation;
mod kills;
mod kind_pauses;
mod listings;
#[path = "../load/mod.rs"]
mod load;
mod loads;
mod logs;
mod lookups;
mod merged_claims;
mod merging;
mod open;
mod other_database;
mod outages;
mod partition_reads;
mod partitions;
mod plans;
mod pooler;
#[path = "../private/mod.rs"]
mod private;
mod prune;
mod replacing;
mod result_hints;
mod runtimes;
mod settles;
mod starvation;
mod stopped;
#[path = "../storm/mod.rs"]
mod storm;
mod strict_transactions;
mod throttled;
#[cfg(feature = "tls")]
mod tls;
mod transactions;
mod unreachable;
mod verify;
