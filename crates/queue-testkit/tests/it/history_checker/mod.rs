//! The checker of histories, against histories made by hand: at least one for each invariant that
//! it must reject, and good ones, ambiguous ones among them, that it must accept.

mod good;
mod leases;
mod lives;
mod replaced;
mod runs;
mod tape;
mod time;
