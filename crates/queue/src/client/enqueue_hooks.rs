//! The hooks that see every job of a handle before it is stored.

use queue_core::{Error, NewJob, QueueName, Result};
use std::{error::Error as StdError, fmt, sync::Arc};

/// The error by which a hook refuses a job.
pub(crate) type Refusal = Box<dyn StdError + Send + Sync>;

type EnqueueHook = dyn Fn(&QueueName, &mut NewJob) -> Result<(), Refusal> + Send + Sync;

/// The hooks that see every job of a handle before it is stored, in the order of adding.
#[derive(Clone, Default)]
pub(crate) struct EnqueueHooks(Vec<Arc<EnqueueHook>>);

impl EnqueueHooks {
    pub(crate) fn add(
        &mut self,
        hook: impl Fn(&QueueName, &mut NewJob) -> Result<(), Refusal> + Send + Sync + 'static,
    ) {
        self.0.push(Arc::new(hook));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Runs the hooks until one refuses the job.
    pub(crate) fn look_at(&self, queue: &QueueName, job: &mut NewJob) -> Result<()> {
        for hook in &self.0 {
            hook(queue, job).map_err(|refusal| refused(job, refusal))?;
        }
        Ok(())
    }
}

fn refused(job: &NewJob, refusal: Refusal) -> Error {
    Error::invalid("enqueue", format!("a hook refused the job {:?}: {refusal}", job.id)).with_source(refusal)
}

impl fmt::Debug for EnqueueHooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EnqueueHooks({})", self.0.len())
    }
}
