//! Tests of this crate as one program: each would otherwise be linked with the whole library once
//! more. A module is what a test file would be.

mod collect;
mod differential;
mod fault_store;
mod history_checker;
mod history_lines;
mod history_planted;
mod kills;
#[cfg(feature = "proxy")]
mod proxy;
