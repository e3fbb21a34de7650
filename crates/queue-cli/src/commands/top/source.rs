//! Where the views read: a store that is opened with the first reading, so that one that cannot be
//! reached does not keep the screen from appearing.

use crate::{
    exit::CliError,
    session::{Jobs, Missing, Session},
};
use queue::{
    Queue, Storage,
    queue_core::{Detail, QueueName, Timestamp, series::SlotLength},
    view::WorkReading,
};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{sync::OnceCell, time::Instant};

/// The most pages of a series that are read: 2,048 entries, an hour of thirty-four workers.
const SERIES_PAGES_MAX: usize = 8;
/// How old what workers counted may be: they write once a minute.
const SERIES_AGE: Duration = Duration::from_secs(5);
const HOUR: Duration = Duration::from_hours(1);

#[derive(Debug)]
pub(super) struct Source {
    /// How the store is opened; absent for one that is open.
    session: Option<Session>,
    storage: OnceCell<Arc<dyn Storage>>,
    hour: Mutex<Option<(Instant, Arc<WorkReading>)>>,
}

impl Source {
    pub(super) fn new(session: &Session) -> Self {
        Self { session: Some(session.clone()), storage: OnceCell::new(), hour: Mutex::default() }
    }

    /// One over a store that is open.
    #[cfg(test)]
    pub(super) fn of(storage: Arc<dyn Storage>) -> Self {
        Self { session: None, storage: OnceCell::new_with(Some(storage)), hour: Mutex::default() }
    }

    pub(super) async fn storage(&self) -> Result<&Arc<dyn Storage>, CliError> {
        let open = async || match &self.session {
            Some(session) => session.open(Missing::Refuse).await,
            None => Err(CliError::invalid("there is no store to open")),
        };
        self.storage.get_or_try_init(open).await
    }

    pub(super) async fn jobs(&self, queue: &QueueName) -> Result<Jobs, CliError> {
        Ok(Queue::new(self.storage().await?.clone(), queue)?)
    }

    /// The kind of store, once it is open.
    pub(super) fn name(&self) -> Option<&'static str> {
        self.storage.get().map(|storage| storage.capabilities().name)
    }

    pub(super) async fn now(&self, queue: &QueueName) -> Result<Timestamp, CliError> {
        // A read of no job returns the time of the store.
        Ok(self.storage().await?.get(queue, &[], Detail::Meta).await?.now)
    }

    /// What was counted in the last hour; `None` if the store keeps no series.
    pub(super) async fn hour(&self, queue: &QueueName) -> Result<Option<Arc<WorkReading>>, CliError> {
        let storage = self.storage().await?;
        if !storage.capabilities().series {
            return Ok(None);
        }
        if let Some((read_at, hour)) = &*self.hour.lock().unwrap_or_else(PoisonError::into_inner)
            && read_at.elapsed() < SERIES_AGE
        {
            return Ok(Some(hour.clone()));
        }
        let now = self.now(queue).await?;
        let hour = WorkReading::read(&**storage, now, SlotLength::Minute, HOUR, SERIES_PAGES_MAX).await?;
        let hour = Arc::new(hour);
        *self.hour.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), hour.clone()));
        Ok(Some(hour))
    }

    /// Closes the store if it was opened.
    pub(super) async fn close(&self) -> Result<(), CliError> {
        match self.storage.get() {
            Some(storage) => Ok(storage.close().await?),
            None => Ok(()),
        }
    }
}
