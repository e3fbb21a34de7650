//! How an administrator of Redis connects to a server.

use redis::{AsyncConnectionConfig, Client, RedisResult, aio::MultiplexedConnection};
use std::time::Duration;

/// Nothing takes as long on a machine that does anything at all.
const PATIENCE: Duration = Duration::from_mins(1);

/// A connection that waits for a busy server: by itself the client gives up after half a second.
pub(crate) async fn connect(client: &Client) -> RedisResult<MultiplexedConnection> {
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(PATIENCE))
        .set_response_timeout(Some(PATIENCE));
    client.get_multiplexed_async_connection_with_config(&config).await
}
