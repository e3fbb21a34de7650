//! The behaviours of a worker, one by one, on the memory store under paused time.

mod blocked;
mod blocking;
mod bounds;
mod closed;
mod context;
mod documented;
mod draining;
mod event_stream;
mod expiry;
mod following;
mod hook_failures;
mod hooks;
mod late_claims;
mod leadership;
mod leadership_faults;
mod leases;
mod lost_claims;
#[cfg(feature = "testing")]
mod made_contexts;
mod operations;
mod outcomes;
mod pausing;
mod permits;
mod prefetch;
mod progress;
mod queues;
mod rates;
mod reserved;
mod routing;
mod runs;
mod schedules;
mod series;
mod settling;
mod sharing;
mod shutdown;
mod shutdown_steps;
mod slots;
mod standstill;
mod support;
mod time_limit;
mod timing;
#[cfg(feature = "tower")]
mod tower;
mod traced;
mod unreadable;
