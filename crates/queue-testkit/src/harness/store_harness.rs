//! The trait by which the suite makes its stores.

use crate::{Facility, Failure, Place};
use async_trait::async_trait;
use queue_core::Clock;
use std::{path::PathBuf, sync::Arc, time::Duration};

/// Makes the stores of the suite: one empty, isolated [`Place`] per trial.
///
/// Trials run in parallel, so what they share (a server, a parent directory) must bear that. A
/// missing server fails the run; it is no reason to skip it.
#[async_trait]
pub trait Harness: Send + Sync + 'static {
    /// Makes an empty place whose stores read the time from `clock` alone.
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure>;

    /// Makes an empty place as [`create`](Self::create) does, whose handles refuse a clock that
    /// leaps ahead by more than `step_max` of what they have measured, by a
    /// [`ClockBound`](queue_core::ClockBound). The suite has one handle of it open at a time, and
    /// calls it only if [`facilities`](Self::facilities) has [`Facility::ClockBound`]; the default
    /// fails.
    async fn create_bounded(
        &self,
        _clock: Arc<dyn Clock>,
        _step_max: Duration,
    ) -> Result<Box<dyn Place>, Failure> {
        Err("no store bounds its clock here".into())
    }

    /// What [`Place::connect`] can do beyond opening the first handle. The default is nothing.
    fn facilities(&self) -> &[Facility] {
        &[]
    }

    /// The file that lists which cases ran and which were ignored when it was last written. It is
    /// kept under version control, so that lost coverage is seen in review. `None`, the default,
    /// compares nothing.
    ///
    /// `QUEUE_TESTKIT_BLESS=1` writes it.
    fn snapshot(&self) -> Option<PathBuf> {
        None
    }
}
