//! Opens the Postgres store by its URL.

use queue_core::{Result, Storage};
use queue_postgres::{PostgresOptions, PostgresStorage};
use std::sync::Arc;

/// Takes the URL unparsed, since the driver reads its parts and most of its options.
pub(super) async fn open(url: &str) -> Result<Arc<dyn Storage>> {
    Ok(Arc::new(PostgresStorage::open(PostgresOptions::new(url)?).await?))
}
