//! The other jobs of the queue, which are enqueued and run all the time.

use super::FAILED_KIND;
use crate::{
    failed::Failed,
    many::{QUEUE, number_of},
};
use queue::{
    JobOptions, Keep, Queue, Storage,
    worker::{Context, JobError, Router, WorkerEvent},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU8, AtomicU64, Ordering::SeqCst},
    },
    time::Duration,
};
use tokio::{
    sync::Semaphore,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;

/// The most other jobs that wait.
const BACKLOG_MAX: usize = 4_000;
/// The jobs of one enqueue.
const BATCH: u32 = 250;
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Counts what ran.
#[derive(Debug)]
pub(super) struct Load {
    done: Arc<AtomicU64>,
    room: Arc<Semaphore>,
    stop: CancellationToken,
    /// How often the handler of each redriven job began.
    runs: Arc<[AtomicU8]>,
}

impl Load {
    pub(super) fn new(failed_jobs: u64) -> Self {
        Self {
            done: Arc::default(),
            room: Arc::new(Semaphore::new(BACKLOG_MAX)),
            stop: CancellationToken::new(),
            runs: (0..failed_jobs).map(|_| AtomicU8::new(0)).collect(),
        }
    }

    /// How often the redriven job of this number ran.
    pub(super) fn runs_of(&self, number: usize) -> u8 {
        self.runs[number].load(SeqCst)
    }

    pub(super) fn stop(&self) {
        self.room.close();
        self.stop.cancel();
    }

    /// Runs other jobs, and lets those that are redriven fail once more, until it is stopped.
    pub(super) async fn work(&self, storage: Arc<dyn Storage>) -> Result<(), Failed> {
        let queue: Queue<u64> = Queue::new(storage, QUEUE)?;
        let (done, room, runs) = (self.done.clone(), self.room.clone(), self.runs.clone());
        let again = move |_: String, context: Context| {
            let number = number_of(&context.meta().id).and_then(|number| usize::try_from(number).ok());
            let runs = runs.clone();
            async move {
                runs[number.expect("the kind has such ids")].fetch_add(1, SeqCst);
                Err::<(), _>(JobError::terminal("it fails again"))
            }
        };
        let router =
            Router::new(()).handle("default", |_: u64, _| async { Ok(()) })?.handle(FAILED_KIND, again)?;
        let worker = queue.worker(router).on_event(move |event| {
            if matches!(event, WorkerEvent::Completed(_)) {
                done.fetch_add(1, SeqCst);
                room.add_permits(1);
            }
        });
        let worker = worker.build()?;
        let stop = worker.stop_token();
        let stopped = async {
            self.stop.cancelled().await;
            stop.cancel();
        };
        tokio::join!(worker.run(), stopped);
        Ok(())
    }

    /// Enqueues as the worker makes room, until it is stopped.
    pub(super) async fn produce(&self, storage: Arc<dyn Storage>) -> Result<(), Failed> {
        let queue: Queue<u64> = Queue::new(storage, QUEUE)?;
        let options = JobOptions::new().keep(Keep::Nothing);
        while let Ok(room) = self.room.acquire_many(BATCH).await {
            room.forget();
            let batch = (0..u64::from(BATCH)).map(|n| (queue::Id::Generated, n));
            queue.enqueue_many(batch, options.clone()).await?;
        }
        Ok(())
    }

    /// Waits until jobs run.
    pub(super) async fn first_jobs(&self) {
        while self.done.load(SeqCst) < BACKLOG_MAX as u64 {
            sleep(LOOK_EVERY).await;
        }
    }

    /// How many other jobs were done in a second while the future ran.
    pub(super) async fn rate_during<T>(&self, future: impl Future<Output = T>) -> (T, f64) {
        let (begun, done) = (Instant::now(), self.done.load(SeqCst));
        let output = future.await;
        #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
        let rate = (self.done.load(SeqCst) - done) as f64 / begun.elapsed().as_secs_f64();
        (output, rate)
    }
}
