//! The checker of histories, tested with histories made by hand: at least one for each invariant
//! that it must reject, and good ones, including ambiguous ones, that it must accept.

mod family;
mod gates;
mod gates_good;
mod good;
mod leases;
mod lives;
mod partitions;
mod replaced;
mod runs;
mod tape;
mod time;
