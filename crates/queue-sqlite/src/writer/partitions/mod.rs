//! Partitions: whose job is next, and which are full.
//!
//! A slot is a lease. What a transaction does to the leases and waiting jobs of a partition is
//! collected, and written with its front before the next claim, or at the end of the transaction:
//! so a thousand jobs of one partition write its row once. Nothing is kept from one transaction to
//! the next, since other processes write the same rows.

mod claim;
mod due;
mod fronts;
mod lane;
mod limits;
mod settle;

pub(crate) use limits::SqliteSetLimits;
