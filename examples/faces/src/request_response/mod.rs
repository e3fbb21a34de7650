//! A reliable request/response queue: calls that survive the end of either side.

mod demo;
mod request_queue;
mod scenes;
mod sums;

pub use demo::demo;
pub use request_queue::RequestQueue;
