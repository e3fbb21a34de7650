//! `verify` finds what is wrong about partitions.

use super::{at_most, claim, enqueue, of, queue, set_each};
use crate::harness::{REDIS, Space, clean_up, connect, fresh_namespace};
use queue_core::{LimitScope, Storage};
use queue_redis::RedisStorage;
use redis::{Cmd, cmd};

/// What is kept of a partition: leases, waiting jobs, its front (kind, priority, turn), no limit.
fn lane(leases: u8, waiting: u8, front: &[u8; 10]) -> Vec<u8> {
    [&[0, 0, 0, 0, 0, leases, 0, 0, 0, 0, 0, waiting], &front[..], &[0; 7]].concat()
}

fn damages(key: impl Fn(&str) -> String) -> Vec<(Cmd, &'static str)> {
    let command = |name: &str, part: &str, args: &[&[u8]]| {
        let mut command = cmd(name);
        command.arg(key(part)).arg(args);
        command
    };
    let nowhere = [0; 10];
    // Another turn than the one that it stands at.
    let elsewhere = [12, 128, 0, 0, 0, 0, 0, 0, 0, 9];
    vec![
        (command("HSET", "meta", &[b":a", &lane(2, 1, &nowhere)]), "has 1 leases and not 2"),
        (command("HSET", "meta", &[b":a", &lane(1, 2, &nowhere)]), "has 1 jobs that wait and not 2"),
        (command("HSET", "meta", &[b":a", b"short"]), "cannot be read"),
        (command("HDEL", "meta", &[b":a"]), "\"a\" has no record"),
        (command("HSET", "meta", &[b":c", &lane(0, 0, &nowhere)]), "\"c\" is kept for nothing"),
        (command("HSET", "meta", &[b":b", &lane(0, 1, &nowhere)]), "\"b\" stands elsewhere"),
        (command("HSET", "meta", &[b":b", &lane(0, 1, &elsewhere)]), "listed has"),
        (command("ZADD", "listed", &[b"0", b"\x0b\x80\0\0\0\0\0\0\0\x01a"]), "which no record has"),
        (command("ZREM", "listed", &[b"\x0eb"]), "listed has None"),
        (command("ZREM", "listed", &[b"\x0fown"]), "listed has None"),
        (command("HSET", "meta", &[b"paused", b"0"]), "is wrong about partitions"),
        (command("HSET", "meta", &[b"limits", b"x"]), "limits or turns cannot be read"),
        (command("HSET", "meta", &[b"turns", b"x"]), "limits or turns cannot be read"),
    ]
}

#[tokio::test]
async fn every_kind_of_damage_to_partitions_is_found() {
    let Some(url) = REDIS.url() else { return };
    let client = redis::Client::open(url.as_str()).expect("a URL");
    let mut server = connect(&client).await.expect("it connects");
    for number in 0..damages(str::to_owned).len() {
        let space = Space { url: url.clone(), namespace: fresh_namespace(), clock: None };
        let store = RedisStorage::open(space.options()).await.expect("it opens");
        set_each(&store, Some(at_most(1))).await;
        let own = LimitScope::Partition(super::key("own"));
        store.set_limits(&queue(), vec![(own, Some(at_most(7)))]).await.expect("it sets limits");
        enqueue(&store, vec![of("a", 0), of("a", 1), of("b", 0)]).await;
        assert_eq!(claim(&store, 1).await.len(), 1);
        super::assert_sound(&store).await;
        let key = |part: &str| format!("{}:{{q}}:{part}", space.namespace);
        let (damage, told) = damages(key).swap_remove(number);
        damage.query_async::<redis::Value>(&mut server).await.expect("the damage is done");
        let findings = store.verify().await.expect("it verifies");
        assert!(findings.iter().any(|finding| finding.contains(told)), "{told}: {findings:?}");
        clean_up(&url, &space.namespace).await.expect("it cleans up");
    }
}
