//! Addresses that a URL may have besides a name: an IPv6 address, and a socket.

use crate::server::{Fsync, Server};
use queue_core::{QueueName, Storage};
use queue_redis::{RedisOptions, RedisStorage};

#[tokio::test]
async fn a_server_is_reached_at_an_ipv6_address_and_at_its_socket() {
    let directory = tempfile::tempdir().expect("a directory");
    let socket = directory.path().join("redis.sock").display().to_string();
    let settings = |_| ["--bind", "127.0.0.1", "-::1", "--unixsocket", &*socket].map(str::to_owned).to_vec();
    let server = Server::start_with(Fsync::Never, settings).await;
    for url in [
        format!("redis://[::1]:{}/", server.port()),
        format!("redis+unix:{socket}?db=3"),
        format!("valkey+unix://{socket}"),
        format!("unix:{socket}?namespace=mail"),
    ] {
        let store = RedisStorage::open(RedisOptions::new(&url).expect("valid")).await;
        let store = store.unwrap_or_else(|error| panic!("{url}: {error}"));
        store.counts(&QueueName::from_static("q")).await.unwrap_or_else(|error| panic!("{url}: {error}"));
        store.close().await.expect("it closes");
    }
}
