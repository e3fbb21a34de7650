//! How a handle sends calls: connections that are kept alive, a request and its answer, and what a
//! failure of either means to a caller.
//!
//! Nothing is sent twice after it may have arrived: the outcome would be unknown, and what to do
//! then is for the caller to judge, as with every store.

mod call;
mod connections;
mod connector;
mod error;
mod problem;
mod progress;
mod service_client;
mod token;
mod upload;

pub(crate) use call::{Caller, ListenedBody};
pub use error::StoreForbidden;
pub use service_client::{ServiceAnswer, ServiceClient};
pub(crate) use token::TokenSource;
