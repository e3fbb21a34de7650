//! A task queue with typed handlers, as people build them on `SELECT .. FOR UPDATE SKIP LOCKED`:
//! many workers take different tasks without waiting for each other.

mod demo;
mod handlers;
mod probe;
mod queue;
mod task;

pub use self::queue::{Slots, TaskQueue};
pub use demo::demo;
pub use handlers::Handlers;
pub use task::Task;
