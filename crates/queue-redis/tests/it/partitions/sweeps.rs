//! A limit of each partition that is new to more partitions than one script looks at.

use super::{META, assert_sound, at_most, claim, complete, enqueue, most_leases, of, set_each, settle};
use crate::server::{Fsync, Server};
use queue_core::Storage;
use queue_redis::{RedisOptions, RedisStorage};
use redis::cmd;

/// More than two scripts look at.
const PARTITIONS: usize = 2_300;

/// Three jobs in each partition, of which as many run as a limit says.
async fn filled(server: &Server, running: u32) -> RedisStorage {
    let options = RedisOptions::new(&server.url()).expect("valid");
    let store = RedisStorage::open(options).await.expect("it opens");
    set_each(&store, Some(at_most(running))).await;
    for from in (0..PARTITIONS).step_by(230) {
        let names = (from..from + 230).map(|number| format!("p{number:05}"));
        enqueue(&store, names.flat_map(|name| (0..3).map(move |number| of(&name, number))).collect()).await;
    }
    let mut all = 0;
    while let held @ 1.. = claim(&store, 500).await.len() {
        all += held;
    }
    assert_eq!(all, PARTITIONS * running as usize);
    store
}

/// What the first script of a call leaves whose program dies then: the limit, and that no partition
/// was looked at.
async fn set_and_die(server: &Server, running: u8) {
    let limits = [&[2, 0, 1, 0, 0, 0, running][..], &[0; 7]].concat();
    server.run(cmd("HSET").arg(META).arg("limits").arg(limits).arg("sweep").arg("")).await;
}

#[tokio::test]
async fn one_call_opens_all_partitions() {
    let server = Server::start(Fsync::Never).await;
    let store = filled(&server, 1).await;
    set_each(&store, Some(at_most(2))).await;
    let left: bool = server.ask(cmd("HEXISTS").arg(META).arg("sweep")).await.expect("it answers");
    assert!(!left, "all are looked at");
    assert_sound(&store).await;
    assert_eq!(claim(&store, PARTITIONS + 1).await.len(), PARTITIONS);
    assert_eq!(most_leases(&store).await, 2);
}

#[tokio::test]
async fn claims_go_on_with_what_a_call_has_left() {
    let server = Server::start(Fsync::Never).await;
    let store = filled(&server, 1).await;
    set_and_die(&server, 2).await;
    assert_sound(&store).await;
    let claimed = store.claim(super::request(10_000)).await.expect("it claims");
    assert!(claimed.jobs.len() < PARTITIONS, "one claim looks at a part of them");
    assert!(claimed.next_due.is_some_and(|due| due <= claimed.now), "the next one is due now");
    assert_sound(&store).await;
    let mut all = claimed.jobs.len();
    for _ in 0..2 {
        all += claim(&store, 10_000).await.len();
        assert_sound(&store).await;
    }
    assert_eq!(all, PARTITIONS);
    assert_eq!((claim(&store, 9).await.len(), most_leases(&store).await), (0, 2));
}

#[tokio::test]
async fn a_lowered_limit_is_not_exceeded_before_all_partitions_are_looked_at() {
    let server = Server::start(Fsync::Never).await;
    let store = filled(&server, 2).await;
    set_each(&store, Some(at_most(3))).await;
    set_and_die(&server, 2).await;
    // Fronts are left of the limit before.
    for _ in 0..3 {
        assert_eq!(claim(&store, 10_000).await.len(), 0);
        assert_sound(&store).await;
    }
    set_and_die(&server, 0).await;
    let held = claim(&store, 9).await;
    assert_eq!((held.len(), most_leases(&store).await), (0, 2));
    set_each(&store, None).await;
    let held = claim(&store, 10_000).await;
    assert_eq!(held.len(), PARTITIONS);
    let end = complete(&held[0]);
    settle(&store, &held[0], end).await;
    assert_sound(&store).await;
}
