//! The URL of a test server from the environment, or the reason to skip the test; and how an
//! administrator connects to it.

use redis::{AsyncConnectionConfig, Client, RedisResult, aio::MultiplexedConnection};
use std::{env, time::Duration};

const SKIP: &str = "QUEUE_TEST_SKIP";
/// Nothing takes as long on a machine that does anything at all.
const PATIENCE: Duration = Duration::from_mins(1);

/// The URL of a test server, by its name and its variable, or `None` if it is to be skipped.
///
/// # Panics
///
/// If the variable is missing: a missing server is no reason to skip a test.
pub(crate) fn url(name: &str, variable: &str) -> Option<String> {
    let skipped = env::var(SKIP).unwrap_or_default();
    match env::var(variable) {
        Ok(url) if !url.is_empty() => Some(url),
        _ if skipped.split(',').any(|skipped| skipped.trim() == name) => {
            println!("skipped: {SKIP} names {name}");
            None
        }
        _ => panic!(
            "{variable} is not set: run this with `cargo xtask services run {name}`, or set {SKIP}={name}"
        ),
    }
}

/// A connection that waits for a busy server: by itself the client gives up after half a second.
pub(crate) async fn connect(client: &Client) -> RedisResult<MultiplexedConnection> {
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(PATIENCE))
        .set_response_timeout(Some(PATIENCE));
    client.get_multiplexed_async_connection_with_config(&config).await
}
