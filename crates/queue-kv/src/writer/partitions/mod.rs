//! Partitions: whose job is next, and which are full.
//!
//! A slot is a lease. What a transaction does to the leases and waiting jobs of a partition is
//! collected, and written with its front before the next claim, or at the end of the transaction:
//! so a thousand jobs of one partition write its record once.

mod claim;
mod due;
mod limits;
mod settle;

pub(crate) use limits::KvSetLimits;
