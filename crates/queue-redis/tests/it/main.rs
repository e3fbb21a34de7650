//! Tests of this crate as one program: each would otherwise be linked with the whole library once
//! more. A module is what a test file would be.

mod addresses;
mod amend;
mod cluster;
mod damage;
mod doctor;
mod faults;
mod gates;
#[path = "../harness/mod.rs"]
mod harness;
mod hints;
mod kinds;
mod large;
mod logs;
mod merging;
mod old_server;
mod open;
mod partitions;
mod read_time;
mod replica;
mod runtime;
mod server;
mod server_time;
mod single;
#[cfg(feature = "tls")]
mod tls;
mod verify;
