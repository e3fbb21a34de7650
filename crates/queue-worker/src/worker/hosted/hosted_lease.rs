//! A handler's way to the worker that hosts its job.

use async_trait::async_trait;
use queue_core::Result;
use std::{fmt, time::Duration};

/// A handler's way to the worker that hosts its job, for the lease of this job alone.
#[async_trait]
pub trait HostedLease: fmt::Debug + Send + Sync {
    /// Sends a [heartbeat](crate::hosted::HostedJob::heartbeat) now, and notes its answer on the
    /// job.
    ///
    /// # Errors
    /// The errors of the call. The lease may be longer or not then.
    async fn heartbeat(&self) -> Result<()>;

    /// The longest lease that can be asked for. A handler that asks for more gets an error.
    fn lease_max(&self) -> Duration;

    /// How long a handler may run unless its job or its kind says otherwise.
    fn time_limit(&self) -> Option<Duration>;
}
