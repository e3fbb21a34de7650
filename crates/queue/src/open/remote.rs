//! Opens a store behind a server by its URL.

use queue_core::{Result, Storage};
use queue_remote::{RemoteOptions, RemoteStorage};
use std::sync::Arc;

/// Takes the URL unparsed, since its authority is none of a path.
pub(super) async fn open(url: &str) -> Result<Arc<dyn Storage>> {
    Ok(Arc::new(RemoteStorage::open(RemoteOptions::new(url)?).await?))
}
