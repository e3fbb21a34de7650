//! The store that both processes open, with polls at their default interval or too rare to matter.

use crate::Failed;
use clap::Args;
use queue::{Queue, QueueName, SqliteOptions, SqliteStorage, Storage, WaitOptions};
use std::{sync::Arc, time::Duration};

/// So long that no poll helps.
const POLL: Duration = Duration::from_hours(1);

/// A store that both processes open, and how.
#[derive(Args, Clone, Debug)]
pub(crate) struct Store {
    pub(crate) url: String,
    /// Whether polls are so rare that none helps.
    #[arg(long)]
    pub(crate) by_events_alone: bool,
}

impl Store {
    pub(crate) fn by_events_alone(url: String) -> Self {
        Self { url, by_events_alone: true }
    }

    pub(crate) fn with_default_polls(url: String) -> Self {
        Self { url, by_events_alone: false }
    }

    /// Opens a handle. How often a file is checked for changes of others is set when it is opened.
    pub(crate) async fn open(&self) -> Result<Arc<dyn Storage>, Failed> {
        match self.url.strip_prefix("sqlite:") {
            Some(path) if self.by_events_alone && !path.contains('?') => {
                let options = SqliteOptions::new(path).poll_interval(POLL);
                Ok(Arc::new(SqliteStorage::open(options).await?))
            }
            _ => Ok(queue::open(&self.url).await?),
        }
    }

    pub(crate) fn queue_name() -> Result<QueueName, Failed> {
        Ok(QueueName::new("calls")?)
    }

    pub(crate) fn queue(storage: &Arc<dyn Storage>) -> Result<Queue<u64, u64>, Failed> {
        Ok(Queue::new(storage.clone(), Self::queue_name()?)?)
    }

    /// The poll interval of a worker, if it is not the default.
    pub(crate) fn poll(&self) -> Option<Duration> {
        self.by_events_alone.then_some(POLL)
    }

    /// The options of a call's wait.
    pub(crate) fn patience(&self) -> WaitOptions {
        let patient = WaitOptions::from(2 * POLL);
        if self.by_events_alone {
            return patient.look_first_after(POLL).look_at_least_every(POLL);
        }
        patient
    }
}
