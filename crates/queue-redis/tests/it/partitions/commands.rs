//! What verbs cost beside many partitions. Commands are counted, not timed.

use super::{at_most, claim, complete, enqueue, job, of, queue, request, set_each, settle};
use crate::server::{Fsync, Server};
use queue_core::{
    ClaimRequest, ClaimedJob, Limit, LimitScope, Span, Storage, StorageExt,
    lifecycle::{Event, OnProcessing, Policy},
};
use queue_redis::{RedisOptions, RedisStorage};
use redis::cmd;
use std::collections::BTreeMap;

async fn open(server: &Server) -> RedisStorage {
    RedisStorage::open(RedisOptions::new(&server.url()).expect("valid")).await.expect("it opens")
}

/// How often each command was called in scripts while this ran, without the one that raises the
/// mark of time, which is called once in a millisecond.
async fn commands(server: &Server, verb: impl AsyncFnOnce()) -> BTreeMap<String, u64> {
    server.run(cmd("CONFIG").arg("RESETSTAT")).await;
    verb().await;
    let mut calls = server.calls_of_scripts().await;
    calls.remove("set");
    calls
}

/// Fills partitions of limit 1, so that three jobs of each are blocked.
async fn fill(store: &RedisStorage, partitions: usize) {
    set_each(store, Some(at_most(1))).await;
    let names: Vec<String> = (0..partitions).map(|number| format!("p{number:05}")).collect();
    for some in names.chunks(250) {
        enqueue(store, some.iter().flat_map(|name| (0..4).map(|number| of(name, number))).collect()).await;
    }
    for _ in 0..partitions.div_ceil(500) {
        assert!(!claim(store, 500).await.is_empty());
    }
    assert_eq!(claim(store, 9).await.len(), 0, "all are full");
}

/// Runs each verb once for a job of a partition beside the full ones, and counts its commands.
async fn costs(
    server: &Server,
    store: &RedisStorage,
    round: usize,
) -> Vec<(&'static str, BTreeMap<String, u64>)> {
    let mut costs = Vec::new();
    let mut held: Vec<ClaimedJob> = Vec::new();
    let policy = Policy::default();
    costs.push(("a claim of nothing", commands(server, async || drop(claim(store, 9).await)).await));
    let one = async || enqueue(store, vec![of("open", 0)]).await;
    costs.push(("an enqueue", commands(server, one).await));
    costs.push((
        "an enqueue of another",
        commands(server, async || enqueue(store, vec![of("open", 1)]).await).await,
    ));
    costs.push(("a claim of one", commands(server, async || held = claim(store, 9).await).await));
    assert_eq!(held.len(), 1);
    let job_of_open = held.remove(0);
    let extend = Event::Extend { token: job_of_open.token, by: Span::from_secs(60), progress: None };
    costs.push(("a heartbeat", commands(server, async || settle(store, &job_of_open, extend).await).await));
    let release = Event::release(job_of_open.token);
    costs.push(("a release", commands(server, async || settle(store, &job_of_open, release).await).await));
    let job_of_open = claim(store, 1).await.remove(0);
    let end = complete(&job_of_open);
    costs.push(("a settle", commands(server, async || settle(store, &job_of_open, end).await).await));
    let cancel = Event::Cancel { processing: OnProcessing::Request };
    let id = of("p00001", 2 + round).id;
    let change = async || drop(store.change(&queue(), &id, cancel, &policy).await.expect("it answers"));
    costs.push(("a cancellation", commands(server, change).await));
    let weight = Limit { weight: 3, ..Limit::default() };
    let limits = vec![(LimitScope::Unpartitioned, Some(weight))];
    let set = async || store.set_limits(&queue(), limits).await.expect("it sets limits");
    costs.push(("a limit", commands(server, set).await));
    costs.push(("counts", commands(server, async || drop(store.counts(&queue()).await)).await));
    costs
}

#[tokio::test]
async fn verbs_take_as_many_commands_beside_two_thousand_full_partitions_as_beside_twenty() {
    let mut found = Vec::new();
    for partitions in [20, 2_000] {
        let server = Server::start(Fsync::Never).await;
        let store = open(&server).await;
        fill(&store, partitions).await;
        // The scripts are known from then on.
        costs(&server, &store, 0).await;
        let names = ["open-0", "open-1"].map(|id| job(id).id);
        for id in &names {
            let remove = Event::Delete;
            drop(store.change(&queue(), id, remove, &Policy::default()).await.expect("it answers"));
        }
        found.push(costs(&server, &store, 1).await);
    }
    assert_eq!(found[0], found[1]);
}

#[tokio::test]
async fn a_claim_takes_as_many_commands_among_two_thousand_open_partitions_as_among_twenty() {
    let mut found = Vec::new();
    for partitions in [20_usize, 2_000] {
        let server = Server::start(Fsync::Never).await;
        let store = open(&server).await;
        let names: Vec<String> = (0..partitions).map(|number| format!("p{number:05}")).collect();
        for some in names.chunks(500) {
            enqueue(&store, some.iter().flat_map(|name| [of(name, 0), of(name, 1)]).collect()).await;
        }
        assert_eq!(claim(&store, 5).await.len(), 5);
        let mut each = Vec::new();
        for limit in [1, 5] {
            let jobs = async || assert_eq!(claim(&store, limit).await.len(), limit);
            each.push(commands(&server, jobs).await);
        }
        let none = ClaimRequest { limited_max: 0, limit: 0, ..request(0) };
        each.push(commands(&server, async || drop(store.claim(none).await.expect("it answers"))).await);
        found.push(each);
    }
    assert_eq!(found[0], found[1]);
}

#[tokio::test]
async fn the_end_of_a_lease_gives_a_hint_if_it_opens_a_full_partition_and_only_then() {
    let server = Server::start(Fsync::Never).await;
    let store = open(&server).await;
    set_each(&store, Some(at_most(2))).await;
    enqueue(&store, (0..3).map(|number| of("full", number)).chain([of("open", 0), of("last", 0)]).collect())
        .await;
    let mut held = claim(&store, 9).await;
    held.sort_by_key(|job| job.record.meta.partition.clone());
    let hints = [("full", 1), ("full", 0), ("last", 0), ("open", 0)];
    assert_eq!(held.len(), hints.len());
    for (job, (name, expected)) in held.iter().zip(hints) {
        assert_eq!(job.record.meta.partition, Some(super::key(name)));
        let end = complete(job);
        let calls = commands(&server, async || settle(&store, job, end).await).await;
        assert_eq!(calls.get("publish").copied().unwrap_or(0), expected, "{name}: {calls:?}");
    }
}

/// What is left behind by partitions is nothing, so that the queue costs what plain queues cost.
#[tokio::test]
async fn a_queue_whose_last_partition_has_ended_is_as_before() {
    let server = Server::start(Fsync::Never).await;
    let store = open(&server).await;
    let plain = async |id: &'static str| {
        commands(&server, async || {
            enqueue(&store, vec![job(id)]).await;
            let held = claim(&store, 1).await.remove(0);
            let end = complete(&held);
            settle(&store, &held, end).await;
        })
        .await
    };
    plain("first").await;
    plain("second").await;
    let before = plain("third").await;
    let fields: Vec<String> = server.ask(cmd("HKEYS").arg(super::META)).await.expect("fields");
    set_each(&store, Some(at_most(1))).await;
    enqueue(&store, vec![of("a", 0), of("a", 1).with_delay(Span::from_secs(900)), job("plain")]).await;
    for held in claim(&store, 9).await {
        let end = complete(&held);
        settle(&store, &held, end).await;
    }
    set_each(&store, None).await;
    let cancel = Event::Cancel { processing: OnProcessing::Request };
    store.change(&queue(), &of("a", 1).id, cancel, &Policy::default()).await.expect("it is cancelled");
    let after: Vec<String> = server.ask(cmd("HKEYS").arg(super::META)).await.expect("fields");
    let new: Vec<_> = after.iter().filter(|field| !fields.contains(field)).collect();
    assert_eq!(new, ["jobs5"]);
    assert_eq!(plain("fourth").await, before);
}
