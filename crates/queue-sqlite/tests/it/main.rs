//! Tests of this crate as one program: each would otherwise be linked with the whole library once
//! more. A module is what a test file would be.

#[path = "../common/mod.rs"]
mod common;
mod crash;
mod doctor;
mod full_disk;
mod gates;
mod held;
mod locks;
mod long_transaction;
mod numbers;
mod open;
mod partitions;
mod sharing;
mod small_disk;
mod taken_away;
mod time;
mod transactions;
mod two_programs;
mod verify;
