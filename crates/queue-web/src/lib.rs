//! A dashboard for job queues: what waits, runs and fails, and what to do about it.
//!
//! [`Dashboard`] is a `tower::Service` for the application's own server, or `queue serve` has it at
//! `/`. Pages are made by the server and work without script; one small script of this crate keeps
//! them fresh. `docs/service/dashboard.md` of the repository shows every page.
//!
//! Invariants kept here: there is no dashboard without an [`AccessPolicy`]; every page and every
//! action is in one table, which says what it needs; what is stored reaches a page through the
//! escaping of its template alone; a page makes a bounded number of calls of the store, however
//! much the store holds; an action leaves its record before it begins; nothing is loaded from
//! anywhere else, and nothing within a page is style or script.

mod access;
mod actions;
mod answer;
mod app;
mod assets;
mod audit;
mod charts;
mod dashboard;
mod live;
mod pages;
mod problem;
mod read;
mod routes;
mod stores;
#[cfg(test)]
mod tests;
mod trace_url;
mod visit;
mod words;

pub use access::AccessPolicy;
pub use dashboard::{Dashboard, NoAccess};
pub use stores::WatchedStores;
pub use trace_url::TraceUrl;
