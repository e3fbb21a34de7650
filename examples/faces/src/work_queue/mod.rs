//! A durable work queue whose tasks are looked after by a processor: scheduled by name, claimed in
//! batches, marked as done or failed.

mod demo;
mod mux;
mod processing;
mod queue;
mod task_error;

pub use self::queue::{Task, WorkQueue};
pub use demo::demo;
pub use mux::Mux;
pub use processing::serve;
pub use task_error::TaskError;
