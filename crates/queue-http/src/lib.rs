//! A service before any store: whoever speaks HTTP enqueues, works and watches.
//!
//! The calls are in `docs/service/protocol.md` of the repository. [`Service`] is made of a store
//! and of [`ReceiptKeys`], and gives its calls as a `tower::Service`, so that an application mounts
//! them in its own server, or `queue serve` runs them alone.
//!
//! Invariants kept here: a settle without a receipt of the service does not exist; every call is in
//! one table, which says which [`Scope`] it needs; a call without a [`Principal`] is refused;
//! payloads pass through byte for byte; what a driver says stays in the log.

mod access;
mod claims;
mod limits;
mod openapi;
mod problem;
mod receipt;
mod routes;
#[cfg(all(feature = "server", unix))]
mod serve;
mod service;
mod tasks;
mod verbs;
mod wire;

pub use access::*;
pub use limits::ServiceLimits;
pub use routes::READ_MAX;
#[cfg(all(feature = "server", unix))]
pub use serve::{
    Address, Door, InvalidAddress, Lifecycle, RequestBody, Server, ServerLimits, ServerOptions, TlsFiles,
    TlsReload,
};
pub use service::{AnswerBody, Readiness, Routed, Service, ServiceMetrics};
