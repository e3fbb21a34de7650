//! The data of one trial, and how a store is opened on them.

use crate::CallersTransaction;
use async_trait::async_trait;
use queue_core::Storage;
use std::{error::Error, fmt::Debug, sync::Arc};

/// The reason why a store could not be opened, as its author has it. It fails the trial.
pub type Failure = Box<dyn Error + Send + Sync>;

/// The data of one trial: a directory, a schema, a key prefix. No other trial sees them.
///
/// Dropping it removes the data; removal that has to wait belongs in [`clean_up`](Self::clean_up).
#[async_trait]
pub trait Place: Debug + Send + Sync + 'static {
    /// Opens a handle on the data. The first call finds nothing; the suite makes later calls only
    /// if [`Harness::facilities`](crate::Harness::facilities) allows them, and they find what is
    /// there.
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure>;

    /// Begins a transaction of an application on these data, which the handle joins. The suite
    /// calls it only if [`Harness::facilities`](crate::Harness::facilities) allows it; the default
    /// fails.
    async fn begin(&self, _store: Arc<dyn Storage>) -> Result<Box<dyn CallersTransaction>, Failure> {
        Err("no store joins transactions here".into())
    }

    /// Removes the data at the end of the trial, even if the trial failed. The default leaves
    /// removal to `Drop`.
    async fn clean_up(&self) -> Result<(), Failure> {
        Ok(())
    }
}
