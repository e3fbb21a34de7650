//! For the tests of applications: the context of a job that a test made up, so that a handler is called like any function.
//! No worker and no store stands behind it. Feature `testing`.

mod context_builder;
mod test_context;

pub use context_builder::{ContextBuilder, context};
pub use test_context::TestContext;
