//! The behaviours of a worker, one by one, on the memory store under paused time.

mod bounds;
mod leases;
mod outcomes;
mod routing;
mod settling;
mod sharing;
mod shutdown;
mod support;
mod timing;
