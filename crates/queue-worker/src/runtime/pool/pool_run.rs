//! The pool, and the run of one of its jobs.

use super::{JobHandle, NotDone};
use crate::{runtime::panics::caught, spawn::tracked};
use queue_core::Result;
use std::{error::Error, fmt, sync::Arc, time::Duration};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, oneshot},
    time::timeout,
};
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};

/// Runs jobs of the program's own, no more at once than allowed. Dropping it cancels them.
///
/// ```
/// # use std::time::Duration;
/// use queue_worker::runtime::Pool;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let pool = Pool::new(8)?;
/// let job = pool.submit(async { 6 * 7 }).await?;
/// assert_eq!(job.join().await?, 42);
/// pool.shutdown(Duration::from_secs(5)).await;
/// assert!(pool.submit(async {}).await.is_err());
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Pool {
    slots: Arc<Semaphore>,
    jobs: TaskTracker,
    cancel_all: CancellationToken,
    _cancels_all: DropGuard,
}

/// The pool takes no more jobs; this one was never started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolClosed;

/// Most jobs that a pool may run at once. A larger number is a typing error.
const SLOTS_MAX: usize = 100_000;

impl Pool {
    /// A pool for this many jobs at once.
    ///
    /// # Errors
    /// `Invalid` for none, or for more than 100,000.
    pub fn new(concurrency: usize) -> Result<Self> {
        if !(1..=SLOTS_MAX).contains(&concurrency) {
            let message = format!("a pool runs 1 to {SLOTS_MAX} jobs at once, not {concurrency}");
            return Err(queue_core::Error::invalid("build pool", message));
        }
        let cancel_all = CancellationToken::new();
        let guard = cancel_all.clone().drop_guard();
        Ok(Self {
            slots: Arc::new(Semaphore::new(concurrency)),
            jobs: TaskTracker::new(),
            cancel_all,
            _cancels_all: guard,
        })
    }

    /// Waits for a free slot, in the order of asking, and starts the job. Dropping the future
    /// before then submits nothing.
    ///
    /// # Errors
    /// [`PoolClosed`] once a shutdown has begun, for callers that wait for a slot too.
    pub async fn submit<T, F>(&self, job: F) -> Result<JobHandle<T>, PoolClosed>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let slot = self.slots.clone().acquire_owned().await.map_err(|_closed| PoolClosed)?;
        // Taken after the wait: a shutdown waits for tokens, and this future need not be polled
        // meanwhile.
        let _arriving = self.jobs.token();
        // Checked under the token, so that a shutdown is either seen here or waits for the job.
        if self.slots.is_closed() {
            return Err(PoolClosed);
        }
        let cancel = self.cancel_all.child_token();
        let (answer, outcome) = oneshot::channel();
        let work = run_job(job, cancel.clone(), slot);
        // The handle may have been dropped. Then the outcome is not wanted.
        tracked(&self.jobs, async move { drop(answer.send(work.await)) });
        Ok(JobHandle { cancel, outcome })
    }

    /// Takes no more jobs, and lets those that run finish. After the deadline they are dropped at
    /// their next await, and waited for. May be called again, also to hurry an earlier call.
    pub async fn shutdown(&self, deadline: Duration) {
        self.slots.close();
        self.jobs.close();
        if timeout(deadline, self.jobs.wait()).await.is_err() {
            self.cancel_all.cancel();
            self.jobs.wait().await;
        }
    }
}

async fn run_job<T, F>(job: F, cancel: CancellationToken, slot: OwnedSemaphorePermit) -> Result<T, NotDone>
where
    F: Future<Output = T>,
{
    let run = caught(async {
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(NotDone::Cancelled),
            output = job => Ok(output),
        }
    });
    let outcome = run.await.unwrap_or_else(|message| Err(NotDone::Panicked(message)));
    drop(slot);
    outcome
}

impl fmt::Display for PoolClosed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the pool is shut down")
    }
}

impl Error for PoolClosed {}
