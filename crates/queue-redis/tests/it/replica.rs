//! A Cluster of one master and its replica, which may take over.

use crate::server::{Fsync, Server};
use queue_core::{QueueName, Storage};
use queue_redis::{Eviction, RedisOptions, RedisStorage};
use std::time::Duration;
use tokio::time::sleep;

/// A condition that does not hold after this many attempts never will.
const TRIES_MAX: usize = 100;
const PAUSE: Duration = Duration::from_millis(100);

struct Pair {
    master: Server,
    replica: Server,
}

impl Pair {
    async fn start() -> Self {
        let (master, replica) = (node().await, node().await);
        master.run(redis::cmd("CLUSTER").arg("ADDSLOTSRANGE").arg(0).arg(16_383)).await;
        let mut meet = redis::cmd("CLUSTER");
        meet.arg("MEET").arg("127.0.0.1").arg(master.port()).arg(master.second_port());
        replica.run(&mut meet).await;
        let id: String = master.ask(redis::cmd("CLUSTER").arg("MYID")).await.expect("it has one");
        // The node refuses until it has met the master.
        until(async || replica.ask::<()>(redis::cmd("CLUSTER").arg("REPLICATE").arg(&id)).await.is_ok())
            .await;
        until(async || {
            says(&replica, "INFO", "replication", "master_link_status:up").await
                && says(&replica, "CLUSTER", "INFO", "cluster_state:ok").await
                && says(&master, "CLUSTER", "INFO", "cluster_state:ok").await
        })
        .await;
        Self { master, replica }
    }

    /// The options of a store that finds the replica first.
    fn options(&self) -> RedisOptions {
        let (replica, master) = (self.replica.port(), self.master.port());
        let url = format!("redis+cluster://127.0.0.1:{replica},127.0.0.1:{master}");
        RedisOptions::new(&url).expect("valid")
    }
}

/// Starts a node; its second port is for other nodes.
async fn node() -> Server {
    let settings = |bus| {
        let words = format!("--cluster-enabled yes --cluster-announce-ip 127.0.0.1 --cluster-port {bus}");
        words.split(' ').map(str::to_owned).collect()
    };
    Server::start_with(Fsync::Never, settings).await
}

async fn says(server: &Server, command: &str, about: &str, line: &str) -> bool {
    let answer: String = server.ask(redis::cmd(command).arg(about)).await.expect("it answers");
    answer.lines().any(|found| found == line)
}

/// Repeats a check until it holds.
async fn until(mut is_so: impl AsyncFnMut() -> bool) {
    for _ in 0..TRIES_MAX {
        if is_so().await {
            return;
        }
        sleep(PAUSE).await;
    }
    panic!("it never came to that");
}

/// Calls go to masters whichever node is named first, and what holds for a replica need not hold
/// for its master.
#[tokio::test]
async fn a_cluster_is_opened_through_a_replica_and_judged_by_a_master() {
    let pair = Pair::start().await;
    let mut evict = redis::cmd("CONFIG");
    pair.replica.run(evict.arg("SET").arg("maxmemory-policy").arg("allkeys-lru")).await;
    let store = RedisStorage::open(pair.options()).await.expect("it is healthy");
    store.counts(&QueueName::from_static("q")).await.expect("the master answers");
    pair.master.run(&mut evict).await;
    assert!(RedisStorage::open(pair.options()).await.is_err(), "the master evicts");
    assert!(RedisStorage::open(pair.options().eviction(Eviction::Allow)).await.is_ok());
}

/// The master's connection is neither refused nor closed, so only its silence shows that it hangs.
#[tokio::test]
async fn a_master_that_hangs_is_given_up_for_the_replica_that_took_over() {
    let pair = Pair::start().await;
    let (options, limit) = (pair.options(), Duration::from_millis(500));
    let store = RedisStorage::open(options.response_timeout(limit).connect_timeout(limit)).await;
    let (store, queue) = (store.expect("it opens"), QueueName::from_static("q"));
    store.counts(&queue).await.expect("the master answers");
    pair.master.signal("STOP");
    pair.replica.run(redis::cmd("CLUSTER").arg("FAILOVER").arg("TAKEOVER")).await;
    until(async || store.counts(&queue).await.is_ok()).await;
}
