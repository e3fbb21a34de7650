//! Contexts of jobs that a test made up, so that the tests of an application call a handler like
//! any function. No worker and no store stands behind them. Feature `testing`.

mod context_builder;
mod test_context;

pub use context_builder::{ContextBuilder, context};
pub use test_context::TestContext;
