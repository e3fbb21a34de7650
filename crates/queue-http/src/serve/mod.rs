//! A server for the service, from its sockets to its end.
//!
//! HTTP/1.1 alone, by hyper: what a worker needs is a long answer and a batch, and every protocol
//! more is one more to attack.

mod address;
mod connection;
mod lifecycle;
mod listener;
mod served;
mod server;
mod server_limits;
mod timed_stream;
mod tls;

pub use address::{Address, InvalidAddress};
pub use lifecycle::Lifecycle;
pub use served::RequestBody;
pub use server::{Door, Server, ServerOptions, TlsReload};
pub use server_limits::ServerLimits;
pub use tls::TlsFiles;
