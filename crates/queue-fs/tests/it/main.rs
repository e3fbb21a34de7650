//! Tests of this crate as one program: each would otherwise be linked with the whole library once
//! more. A module is what a test file would be.

#[path = "../common/mod.rs"]
mod common;
mod doctor;
mod fsck;
mod kill;
mod layout;
mod open;
mod opening;
mod payloads;
mod power;
mod repair_beside;
mod sharing;
mod takeover;
