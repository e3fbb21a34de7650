//! A simple FIFO: what is taken is hidden for a while, and comes back unless it is acknowledged in
//! time.

mod client;
mod demo;
mod fifo_queue;
mod http;

pub use client::HttpClient;
pub use demo::demo;
pub use fifo_queue::{Ack, Fifo, TakenTask};
pub use http::{router, serve};
