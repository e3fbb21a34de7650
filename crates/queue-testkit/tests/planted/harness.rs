//! Makes stores with one defect, or none, for the suite.

use crate::{
    defect::Defect,
    store::{PlantedStore, Shared},
};
use async_trait::async_trait;
use queue_core::{Clock, ClockBound, Storage};
use queue_testkit::{Facility, Failure, Harness, Place};
use std::{sync::Arc, time::Duration};

/// Stores with one defect, or none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlantedHarness(pub(crate) Option<Defect>);

#[async_trait]
impl Harness for PlantedHarness {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        self.create_bounded(clock, Duration::MAX).await
    }

    async fn create_bounded(
        &self,
        clock: Arc<dyn Clock>,
        step_max: Duration,
    ) -> Result<Box<dyn Place>, Failure> {
        let bound = ClockBound::new(step_max);
        Ok(Box::new(Planted(Arc::new(Shared::new(self.0, clock, bound)))))
    }

    fn facilities(&self) -> &[Facility] {
        &[Facility::Reopen, Facility::SecondHandle, Facility::DroppedClaims, Facility::ClockBound]
    }
}

#[derive(Debug)]
struct Planted(Arc<Shared>);

#[async_trait]
impl Place for Planted {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        let store: PlantedStore = self.0.open();
        Ok(Arc::new(store))
    }
}
