//! The cost of a failover: replication is asynchronous, so a replica that lacks acknowledged writes
//! may be promoted.
//!
//! ```sh
//! cargo xtask services run redis-sentinel -- cargo test -p queue-redis --test it -- --ignored --nocapture failover
//! ```

use super::{LASTS, load::Load};
use crate::harness::{SENTINEL, Space, connect, fresh_namespace};
use redis::{RedisResult, aio::MultiplexedConnection};
use std::time::Duration;
use tokio::time::sleep;

/// A connection to the first Sentinel, and the service that it watches.
async fn sentinel(url: &str) -> (MultiplexedConnection, String) {
    let (place, service) = url.split_once("/?service=").expect("a URL of Sentinels");
    let first = place.replace("redis+sentinel://", "redis://").split(',').next().map(str::to_owned);
    let client = redis::Client::open(first.expect("one at least")).expect("a URL");
    (connect(&client).await.expect("it connects"), service.to_owned())
}

async fn master(sentinel: &mut MultiplexedConnection, service: &str) -> Vec<String> {
    let mut command = redis::cmd("SENTINEL");
    command.arg("GET-MASTER-ADDR-BY-NAME").arg(service).query_async(sentinel).await.expect("there is one")
}

/// Ends the master before it can say so to its replica. It stays down, so this test runs once on
/// the same Sentinels.
async fn end_at_once(url: &str, place: &[String]) {
    let (login, _) = url.trim_start_matches("redis+sentinel://").rsplit_once('@').unwrap_or(("", ""));
    let at = if login.is_empty() { "" } else { "@" };
    let client = redis::Client::open(format!("redis://{login}{at}{}", place.join(":"))).expect("a URL");
    let mut connection = connect(&client).await.expect("it connects");
    let mut command = redis::cmd("SHUTDOWN");
    command.arg("NOSAVE").arg("NOW").arg("FORCE");
    // The server answers by closing the connection.
    drop::<RedisResult<()>>(command.query_async(&mut connection).await);
}

/// Reports what was lost; the rest must be sound, and calls must continue with the new master.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "needs Sentinels, which everyday tests do not have"]
async fn a_failover_may_lose_the_newest_writes_and_nothing_else() {
    let Some(url) = SENTINEL.url() else { return };
    let space = Space { url: url.clone(), namespace: fresh_namespace(), clock: None };
    let (mut sentinel, service) = sentinel(&url).await;
    let before = master(&mut sentinel, &service).await;
    let load = Load::start(space.options().response_timeout(Duration::from_secs(1))).await;
    sleep(LASTS / 2).await;
    end_at_once(&url, &before).await;
    while master(&mut sentinel, &service).await == before {
        sleep(Duration::from_millis(50)).await;
    }
    sleep(LASTS / 2).await;
    let verdict = load.finish().await;
    verdict.tell_losses();
    verdict.assert_only_losses();
}
