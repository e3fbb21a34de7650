//! Five well-known ways of using a queue, each a thin face over the crate `queue`.
//!
//! | face | what it is | to run it |
//! |---|---|---|
//! | [`fifo`] | a FIFO with visibility timeout, and its HTTP API | `cargo run --example fifo` |
//! | [`work_queue`] | a durable work queue with a processor | `cargo run --example work_queue` |
//! | [`visibility`] | the visibility timeout as a primitive, and three patterns | `cargo run --example visibility` |
//! | [`request_response`] | calls that survive both sides | `cargo run --example request_response` |
//! | [`task_queue`] | typed tasks shared by many workers | `cargo run --example task_queue` |
//!
//! Each module holds the face, and a `demo` that uses it on a [`Stage`] and prints what happens;
//! the examples and the tests run the same demo. The pages in `docs/faces` say what each face does,
//! and how a program does it with the crate `queue-jobs` alone.
//!
//! Absent on purpose: rules about jobs. What a face promises, the store and its lifecycle keep; a
//! face only gives the words that its users know.

pub mod fifo;
pub mod request_response;
mod stage;
pub mod task_queue;
pub mod visibility;
pub mod work_queue;

pub use queue::worker::runtime::BoxError;
pub use stage::Stage;

/// What a demonstration answers.
pub type Result<T = (), E = BoxError> = std::result::Result<T, E>;
