//! Connections of the application's own pool.

use deadpool_redis::{Connection, Pool, PoolError};
use redis::{ErrorKind, RedisError, RedisResult};
use std::time::Duration;

/// A pool that the application uses for other things too.
#[derive(Debug)]
pub(crate) struct ApplicationPool {
    pool: Pool,
    response_timeout: Duration,
}

impl ApplicationPool {
    pub(crate) fn new(pool: Pool, response_timeout: Duration) -> Self {
        Self { pool, response_timeout }
    }

    /// Gives a connection for one call. The pool sees to broken connections.
    pub(crate) async fn lend(&self) -> RedisResult<Connection> {
        let mut connection = self.pool.get().await.map_err(|error| match error {
            PoolError::Backend(error) => error,
            other => RedisError::from((ErrorKind::Client, "the pool has no connection", other.to_string())),
        })?;
        connection.set_response_timeout(self.response_timeout);
        Ok(connection)
    }
}
