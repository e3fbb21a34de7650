//! A harness whose handles are all watched.

use super::{OpenCalls, watched_store::WatchedStore};
use crate::{CallersTransaction, Facility, Failure, Harness, Place};
use async_trait::async_trait;
use queue_core::{Clock, Storage};
use std::{sync::Arc, time::Duration};

/// The harness of a store for one case; it watches every handle that is opened.
pub(crate) struct WatchedHarness {
    harness: Arc<dyn Harness>,
    calls: OpenCalls,
}

#[derive(Debug)]
struct WatchedPlace {
    place: Box<dyn Place>,
    calls: OpenCalls,
}

impl WatchedHarness {
    pub(crate) fn new(harness: Arc<dyn Harness>, calls: OpenCalls) -> Self {
        Self { harness, calls }
    }
}

#[async_trait]
impl Harness for WatchedHarness {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        let opening = self.calls.begin("`Harness::create`".to_owned());
        let place = self.harness.create(clock).await?;
        opening.answered();
        Ok(Box::new(WatchedPlace { place, calls: self.calls.clone() }))
    }

    async fn create_bounded(
        &self,
        clock: Arc<dyn Clock>,
        step_max: Duration,
    ) -> Result<Box<dyn Place>, Failure> {
        let opening = self.calls.begin("`Harness::create_bounded`".to_owned());
        let place = self.harness.create_bounded(clock, step_max).await?;
        opening.answered();
        Ok(Box::new(WatchedPlace { place, calls: self.calls.clone() }))
    }

    fn facilities(&self) -> &[Facility] {
        self.harness.facilities()
    }
}

#[async_trait]
impl Place for WatchedPlace {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        let opening = self.calls.begin("`Place::connect`".to_owned());
        let store = self.place.connect().await?;
        opening.answered();
        Ok(Arc::new(WatchedStore::new(store, self.calls.clone())))
    }

    async fn begin(&self, store: Arc<dyn Storage>) -> Result<Box<dyn CallersTransaction>, Failure> {
        let opening = self.calls.begin("`Place::begin`".to_owned());
        let transaction = self.place.begin(store).await?;
        opening.answered();
        Ok(transaction)
    }

    async fn clean_up(&self) -> Result<(), Failure> {
        let closing = self.calls.begin("`Place::clean_up`".to_owned());
        self.place.clean_up().await?;
        closing.answered();
        Ok(())
    }
}
