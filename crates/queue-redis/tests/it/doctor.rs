//! What `diagnose` finds on a sick server. Each test has a server of its own.

use crate::{
    cluster::Cluster,
    server::{Fsync, Server},
};
use queue_core::{Finding, Severity, Storage};
use queue_redis::{RedisOptions, RedisStorage};
use std::time::Duration;
use tokio::time::{sleep, timeout};

const PATIENCE: Duration = Duration::from_secs(60);

async fn open(server: &Server) -> RedisStorage {
    RedisStorage::open(RedisOptions::new(&server.url()).expect("a URL")).await.expect("it opens")
}

async fn finding(store: &RedisStorage, code: &str) -> Finding {
    let findings = store.diagnose().await.expect("it looks");
    findings.into_iter().find(|finding| finding.code == code).expect("there is such a check")
}

#[track_caller]
fn assert_is(finding: &Finding, severity: Severity, seen: &str) {
    assert_eq!(finding.severity, severity, "{finding:?}");
    assert!(finding.seen.contains(seen), "{finding:?}");
}

/// The finding once it is as bad as this: a server notices some things a little later.
async fn finding_of(store: &RedisStorage, code: &str, severity: Severity) -> Finding {
    let until = async {
        loop {
            let found = finding(store, code).await;
            if found.severity == severity {
                return found;
            }
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, until).await.expect("it is found")
}

async fn set(server: &Server, setting: &str, value: impl ToString) {
    server.run(redis::cmd("CONFIG").arg("SET").arg(setting).arg(value.to_string())).await;
}

async fn used_memory(server: &Server) -> u64 {
    let info: String = server.ask(redis::cmd("INFO").arg("memory")).await.expect("it answers");
    let used = info.lines().find_map(|line| line.strip_prefix("used_memory:")).expect("it tells");
    used.trim().parse().expect("a number")
}

#[tokio::test]
async fn a_server_that_is_well_has_no_finding_of_its_own() {
    let server = Server::start(Fsync::Always).await;
    let store = open(&server).await;
    for finding in store.diagnose().await.expect("it looks") {
        assert_eq!(finding.severity, Severity::Fine, "{finding:?}");
    }
}

#[tokio::test]
async fn eviction_is_a_warning_and_broken_once_there_is_a_limit() {
    let server = Server::start(Fsync::Never).await;
    let store = open(&server).await;
    set(&server, "maxmemory-policy", "allkeys-lru").await;
    assert_is(&finding(&store, "redis-eviction").await, Severity::Warning, "allkeys-lru");
    set(&server, "maxmemory", 1 << 30).await;
    assert_is(&finding(&store, "redis-eviction").await, Severity::Broken, "0 keys were evicted");
}

#[tokio::test]
async fn memory_that_runs_out_is_a_warning_and_then_broken() {
    let server = Server::start(Fsync::Never).await;
    let store = open(&server).await;
    // Ballast, so that what connections take does not matter.
    server.run(redis::cmd("SETRANGE").arg("ballast").arg(32 << 20).arg("x")).await;
    let used = used_memory(&server).await;
    for (percent, severity) in [(50, Severity::Fine), (88, Severity::Warning), (99, Severity::Broken)] {
        set(&server, "maxmemory", used * 100 / percent).await;
        assert_is(&finding(&store, "redis-memory").await, severity, "of maxmemory");
    }
}

#[tokio::test]
async fn writes_that_a_crash_may_take_are_a_warning() {
    let server = Server::start(Fsync::Never).await;
    let store = open(&server).await;
    assert_is(&finding(&store, "durability").await, Severity::Warning, "no append-only file");
    set(&server, "appendfsync", "everysec").await;
    set(&server, "appendonly", "yes").await;
    assert_is(&finding(&store, "durability").await, Severity::Warning, "everysec");
    set(&server, "appendfsync", "always").await;
    assert_is(&finding(&store, "durability").await, Severity::Fine, "flushed");
}

#[tokio::test]
async fn a_server_that_cannot_save_is_broken() {
    let settings = |_| vec!["--dbfilename".to_owned(), "taken.rdb".to_owned()];
    let server = Server::start_with(Fsync::Never, settings).await;
    let store = open(&server).await;
    // A directory of this name cannot be replaced by a file.
    let answer: Vec<String> = server.ask(redis::cmd("CONFIG").arg("GET").arg("dir")).await.expect("it tells");
    let taken = std::path::Path::new(&answer[1]).join("taken.rdb");
    std::fs::create_dir_all(taken.join("within")).expect("there is room");
    server.run(redis::cmd("SET").arg("key").arg("value")).await;
    server.run(&mut redis::cmd("BGSAVE")).await;
    let found = finding_of(&store, "redis-disk-writes", Severity::Broken).await;
    assert_is(&found, Severity::Broken, "rdb_last_bgsave_status");
}

#[tokio::test]
async fn replicas_that_writes_wait_for_and_that_are_not_there_are_broken() {
    let server = Server::start(Fsync::Never).await;
    let options = RedisOptions::new(&server.url()).expect("a URL");
    let options = options.wait_for_replicas(1, Duration::from_millis(10));
    let store = RedisStorage::open(options).await.expect("it opens");
    assert_is(&finding(&store, "redis-replicas").await, Severity::Broken, "0 of 0 replicas");
}

#[tokio::test]
async fn a_replica_that_stands_still_is_a_warning_once_it_is_far_behind() {
    let (master, replica) = (Server::start(Fsync::Never).await, Server::start(Fsync::Never).await);
    let store = open(&master).await;
    replica.run(redis::cmd("REPLICAOF").arg("127.0.0.1").arg(master.port())).await;
    let is_one = |found: &Finding| found.seen.starts_with("1 of 1");
    let until = async {
        while !is_one(&finding(&store, "redis-replicas").await) {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, until).await.expect("it follows");
    replica.signal("STOP");
    master.run(redis::cmd("SET").arg("large").arg(vec![7_u8; 2 << 20])).await;
    let found = finding_of(&store, "redis-replicas", Severity::Warning).await;
    assert_is(&found, Severity::Warning, "0 of 1 replicas keep up");
    replica.signal("CONT");
    finding_of(&store, "redis-replicas", Severity::Fine).await;
}

#[tokio::test]
async fn a_script_that_held_up_the_server_is_a_warning() {
    let server = Server::start(Fsync::Never).await;
    let store = open(&server).await;
    assert_is(&finding(&store, "redis-slow-calls").await, Severity::Fine, "took 100 ms");
    let busy = "local function now() local t = redis.call('TIME') return t[1] * 1000000 + t[2] end \
                local begun = now() while now() - begun < 120000 do end return ARGV[1]";
    let () = server
        .ask(redis::cmd("EVAL").arg(busy).arg(0).arg("a-telling-argument"))
        .await
        .map(|_: String| ())
        .expect("it runs");
    let found = finding(&store, "redis-slow-calls").await;
    assert_is(&found, Severity::Warning, "1 of them scripts");
    assert!(!found.seen.contains("a-telling-argument"));
}

#[tokio::test]
async fn connections_that_run_out_are_a_warning() {
    let server = Server::start(Fsync::Never).await;
    let store = open(&server).await;
    assert_eq!(finding(&store, "redis-clients").await.severity, Severity::Fine);
    // One of the store, and one of the test.
    set(&server, "maxclients", 1).await;
    assert_is(&finding(&store, "redis-clients").await, Severity::Warning, "of 1 connections");
}

#[tokio::test]
async fn a_user_without_rights_is_told_what_cannot_be_seen() {
    let server = Server::start(Fsync::Always).await;
    let rights = "SETUSER app on >secret ~mail:* &mail:* +eval +evalsha +time +@hash +@sortedset +@string +@pubsub +info \
                  +ping +select +cluster|slots +asking +role +wait";
    let mut acl = redis::cmd("ACL");
    for word in rights.split_whitespace() {
        acl.arg(word);
    }
    server.run(&mut acl).await;
    let url = format!("redis://app:secret@127.0.0.1:{}?namespace=mail", server.port());
    let store = RedisStorage::open(RedisOptions::new(&url).expect("a URL")).await.expect("it opens");
    for code in ["durability", "redis-slow-calls"] {
        assert_eq!(finding(&store, code).await.severity, Severity::Unknown, "{code}");
    }
}

#[tokio::test]
async fn a_cluster_with_a_slot_that_nobody_serves_is_broken() {
    let cluster = Cluster::start().await;
    let options = RedisOptions::new(&cluster.url()).expect("a URL");
    let store = RedisStorage::open(options).await.expect("it opens");
    assert_is(&finding(&store, "redis-cluster-slots").await, Severity::Fine, "16384 of 16384");
    // Every node forgets who has a slot, as after a migration that broke off.
    for master in &cluster.masters {
        master.run(redis::cmd("CLUSTER").arg("DELSLOTS").arg(1)).await;
    }
    assert_is(&finding(&store, "redis-cluster-slots").await, Severity::Broken, "16383 of 16384");
}

/// A server of a Cluster is as sick as its sickest master, whichever has the namespace's own keys.
#[tokio::test]
async fn each_master_of_a_cluster_is_looked_at_and_the_sick_ones_are_named() {
    let cluster = Cluster::start().await;
    let options = RedisOptions::new(&cluster.url()).expect("a URL");
    let store = RedisStorage::open(options).await.expect("it opens");
    assert_is(&finding(&store, "redis-eviction").await, Severity::Fine, "3 of 3 masters");
    assert_is(&finding(&store, "redis-cluster-masters").await, Severity::Fine, "3 of 3 masters answer");
    let home = cluster.master_of("*").await;
    let [near, far] = [1, 2].map(|steps| &cluster.masters[(home + steps) % cluster.masters.len()]);
    set(far, "maxmemory-policy", "allkeys-lru").await;
    let one = finding(&store, "redis-eviction").await;
    assert_is(&one, Severity::Warning, "1 of 3 masters");
    assert_is(&one, Severity::Warning, &format!("127.0.0.1:{}: maxmemory-policy is allkeys-lru", far.port()));
    set(near, "maxmemory-policy", "allkeys-lru").await;
    set(near, "maxmemory", 1 << 30).await;
    // The finding is the worse one, with its advice.
    let worse = finding(&store, "redis-eviction").await;
    assert_is(&worse, Severity::Broken, &format!("1 of 3 masters; 127.0.0.1:{}", near.port()));
    assert!(!worse.seen.contains(&far.port().to_string()), "{worse:?}");
    far.signal("KILL");
    let silent = finding_of(&store, "redis-cluster-masters", Severity::Broken).await;
    assert_is(&silent, Severity::Broken, &format!("2 of 3 masters answer; 127.0.0.1:{}", far.port()));
    assert_is(&finding(&store, "redis-eviction").await, Severity::Broken, "1 of 2 masters");
}
