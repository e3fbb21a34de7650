//! Tests of this crate as one program: each would otherwise be linked with the whole library once
//! more. A module is what a test file would be.

mod coalesced;
mod group_commit;
mod per_runtime;
mod stored;
