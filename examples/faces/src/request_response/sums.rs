//! The requests of the demonstration, and the consumer that answers them.

use super::RequestQueue;
use crate::Stage;
use queue::worker::{Context, JobError, Worker};
use serde::{Deserialize, Serialize};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};
use tokio::sync::Semaphore;

/// Heartbeats go out every third of it, and with them a consumer learns of a cancel.
const LEASE: Duration = Duration::from_secs(3);

/// The requests of the demonstration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Sum {
    /// Answered at once.
    Of(Vec<u32>),
    /// Answered once the demonstration allows it.
    Slowly(Vec<u32>),
    /// Answered never.
    Forever,
}

pub(super) type Sums = RequestQueue<Sum, u32>;

/// What the consumers of the demonstration share with it.
#[derive(Clone, Debug)]
pub(super) struct Adder {
    /// Handlers started.
    runs: Arc<AtomicU32>,
    /// One permit for each handler that began to answer slowly or never.
    pub(super) begun: Arc<Semaphore>,
    /// One permit for each that may answer.
    pub(super) allowed: Arc<Semaphore>,
}

impl Adder {
    pub(super) fn new() -> Self {
        let gate = || Arc::new(Semaphore::new(0));
        Self { runs: Arc::default(), begun: gate(), allowed: gate() }
    }

    pub(super) fn runs(&self) -> u32 {
        self.runs.load(Ordering::SeqCst)
    }

    /// A consumer of its own on the stage.
    pub(super) fn consumer(&self, stage: &Stage) -> queue::Result<Worker> {
        let adder = self.clone();
        let sums = Sums::new(stage.store(), stage.queue())?;
        let consumer = sums.consumer(move |sum, context| adder.clone().answer(sum, context))?;
        consumer.lease(LEASE).build()
    }

    async fn answer(self, sum: Sum, context: Context) -> Result<u32, JobError> {
        self.runs.fetch_add(1, Ordering::SeqCst);
        match sum {
            Sum::Of(numbers) => Ok(numbers.iter().sum()),
            Sum::Slowly(numbers) => {
                self.begun.add_permits(1);
                self.allowed.acquire().await?.forget();
                Ok(numbers.iter().sum())
            }
            Sum::Forever => {
                self.begun.add_permits(1);
                context.cancelled().await;
                Err(JobError::named("Stopped", "as asked"))
            }
        }
    }
}
