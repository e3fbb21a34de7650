//! What runs for a job: typed functions by kind, and the context that they get.

mod blocking_handler;
mod context;
mod hook;
mod hook_fn;
mod job_error;
mod progress_error;
mod router;
#[cfg(feature = "tower")]
mod service;
mod typed_handler;

pub use context::{CancelReason, Context};
pub use hook::{AttemptResult, Before, HOOK_MAX, Hook};
pub use hook_fn::{AfterFn, BeforeFn, after_fn, before_fn};
pub use job_error::JobError;
pub use progress_error::ProgressError;
pub use router::Router;
#[cfg(feature = "tower")]
pub use service::JobRequest;

pub(crate) use job_error::Disposition;

use crate::runtime::Handler;
use queue_core::Payload;
use std::{fmt, sync::Arc};

/// What a worker runs for each of its jobs: a [`Router`], or a handler of the program's own.
pub type JobHandler = dyn Handler<Context, Output = Payload, Error = JobError>;

/// A handler that the parts of a worker share. It need not implement `Debug`.
#[derive(Clone)]
pub(crate) struct SharedHandler(pub(crate) Arc<JobHandler>);

impl fmt::Debug for SharedHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handler(..)")
    }
}
