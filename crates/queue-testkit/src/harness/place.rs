//! Where the data of one trial live, and how a store is opened on them.

use crate::CallersTransaction;
use async_trait::async_trait;
use queue_core::Storage;
use std::{error::Error, fmt::Debug, sync::Arc};

/// Why a store could not be opened, in whatever form its author has it. It fails the trial.
pub type Failure = Box<dyn Error + Send + Sync>;

/// Where the data of one trial live: a directory, a schema, a key prefix. No other trial sees them.
///
/// Dropping it removes them; what cannot be removed without waiting goes into
/// [`clean_up`](Self::clean_up).
#[async_trait]
pub trait Place: Debug + Send + Sync + 'static {
    /// Opens a handle on the data. The first call finds nothing; later ones are made only as
    /// [`Harness::facilities`](crate::Harness::facilities) says, and find what is there.
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure>;

    /// Begins a transaction of an application on these data, which the handle joins. Made only as
    /// [`Harness::facilities`](crate::Harness::facilities) says; the default fails.
    async fn begin(&self, _store: Arc<dyn Storage>) -> Result<Box<dyn CallersTransaction>, Failure> {
        Err("no store joins transactions here".into())
    }

    /// Removes the data once the trial is over, also when it failed. The default leaves it to
    /// `Drop`.
    async fn clean_up(&self) -> Result<(), Failure> {
        Ok(())
    }
}
