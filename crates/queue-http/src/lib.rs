//! A service in front of any store: HTTP clients enqueue, work and watch.
//!
//! `docs/service/protocol.md` in the repository describes the calls. [`Service`] is built from a
//! store and [`ReceiptKeys`], and offers its calls as a `tower::Service`, so an application can
//! mount them in its own server, or `queue serve` runs them alone.
//!
//! Invariants kept here: a settle needs a receipt of the service; every call is in one table, which
//! names the [`Scope`] it needs; a call without a [`Principal`] is refused; payloads pass through
//! byte for byte; messages of drivers stay in the log.

mod access;
mod claims;
mod documents;
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
pub use documents::{InvalidDocument, checked_job_document, checked_schedule_document};
pub use limits::ServiceLimits;
pub use routes::READ_MAX;
#[cfg(all(feature = "server", unix))]
pub use serve::{
    Address, Door, InvalidAddress, Lifecycle, RequestBody, Server, ServerLimits, ServerOptions, TlsFiles,
    TlsReload,
};
pub use service::{AnswerBody, Readiness, Routed, Service, ServiceMetrics};
