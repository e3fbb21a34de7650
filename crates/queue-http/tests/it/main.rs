//! The service from the outside: requests in, answers out, over a store in memory; and over
//! sockets, as hostile clients meet it.

mod batches;
mod bodies;
mod change;
mod client;
#[cfg(feature = "server")]
mod connections;
mod crowded;
mod described;
#[cfg(feature = "server")]
mod drain;
mod duties;
mod enqueue;
mod events;
mod fuzz;
mod hostile;
mod limits;
mod look;
mod lost_claims;
mod measured;
mod outcome;
mod repeated_elsewhere;
mod replaced;
mod schedules;
mod scopes;
#[cfg(feature = "server")]
mod secrets;
#[cfg(feature = "server")]
mod server;
#[cfg(feature = "server")]
mod service_worker;
mod shares;
#[cfg(feature = "server")]
mod smuggling;
mod standing_still;
mod standstill;
#[cfg(feature = "server")]
mod tls;
mod upkeep;
mod waiting;
mod walkthrough;
mod work;
