//! Opens the Redis store by its URL.

use queue_core::{Result, Storage};
use queue_redis::{RedisOptions, RedisStorage};
use std::sync::Arc;

/// Takes the URL unparsed, since the driver reads its login.
pub(super) async fn open(url: &str) -> Result<Arc<dyn Storage>> {
    Ok(Arc::new(RedisStorage::open(RedisOptions::new(url)?).await?))
}
