//! Several handles on the same data, and handles that were closed.

use super::cases;
use crate::bench::prelude::*;
use futures_util::StreamExt;
use queue_core::{
    Detail, ErrorKind, Interest, ListQuery, Prune, PruneRequest, QueuesQuery, State, Storage,
    lifecycle::Event,
};

cases! { "handles":
    every_verb_of_a_closed_handle_answers_closed [I22];
    closing_twice_is_fine [I22];
    handles_of_one_name_are_one_queue [I9 I20] (SecondHandle);
    a_job_of_one_handle_is_claimed_by_the_other_and_settled_by_the_first [I3 I4] (SecondHandle);
    numbers_grow_across_handles [I9] (SecondHandle);
    two_handles_never_claim_one_job [I3] (SecondHandle);
    closing_one_handle_disturbs_no_other [I22] (SecondHandle);
    closing_one_handle_ends_no_stream_of_another [I22] (SecondHandle Hints);
    a_handle_hints_at_what_another_wrote [I15] (SecondHandle Hints);
    a_second_handle_hints_at_what_the_first_wrote [I15] (SecondHandle Hints);
    what_a_closed_handle_held_lapses [I15 I22] (SecondHandle);
}

async fn assert_closed(bench: &Bench, store: &dyn Storage) {
    let queue = bench.queue();
    let prune = PruneRequest { queue: queue.clone(), what: Prune::Expired, limit: 1 };
    let outcomes = [
        ("enqueue", store.enqueue(queue, vec![vec![job("b")]]).await.err()),
        ("claim", store.claim(bench.request(1)).await.err()),
        ("apply", store.apply(vec![]).await.err()),
        ("get", store.get(queue, &[id("a")], Detail::Meta).await.err()),
        ("list", store.list(ListQuery::all(queue.clone(), 1)).await.err()),
        ("counts", store.counts(queue).await.err()),
        ("queues", store.queues(QueuesQuery::all(1)).await.err()),
        ("prune", store.prune(prune).await.err()),
    ];
    for (verb, outcome) in outcomes {
        assert_eq!(outcome.map(|error| error.kind()), Some(ErrorKind::Closed), "{verb}");
    }
}

/// A call neither hangs nor panics, and writes nothing.
async fn every_verb_of_a_closed_handle_answers_closed(bench: &Bench) {
    bench.put("a").await;
    let closed = bench.close().await;
    assert_closed(bench, &*closed).await;
}

/// Programs shut down in several places.
async fn closing_twice_is_fine(bench: &Bench) {
    let closed = bench.close().await;
    for _ in 0..2 {
        closed.close().await.expect("closing again is fine");
    }
}

async fn handles_of_one_name_are_one_queue(bench: &Bench) {
    let other = bench.second().await;
    bench.put("a").await;
    assert_eq!(other.state("a").await, Some(State::Queued));
    assert!(!other.enqueue(job("a")).await.is_new());
    other.cancel("a").await;
    assert_eq!(bench.state("a").await, Some(State::Cancelled));
    assert_eq!(bench.counts().await, other.counts().await);
}

/// The token is the proof, not the connection.
async fn a_job_of_one_handle_is_claimed_by_the_other_and_settled_by_the_first(bench: &Bench) {
    let other = bench.second().await;
    bench.put("a").await;
    let held = other.claim_one().await;
    bench.settled(&held, extend(held.token, KEPT)).await;
    bench.complete(&held).await;
    assert_eq!(other.result("a").await.as_deref(), Some(RESULT));
    let again = decided(&held.record.meta, complete(held.token));
    assert_done!([other.apply(again).await]);
}

async fn numbers_grow_across_handles(bench: &Bench) {
    let other = bench.second().await;
    let mut seqs = Vec::new();
    for n in 0..10 {
        let handle = if n % 2 == 0 { bench } else { &other };
        seqs.push(handle.put(nth(n).as_str()).await);
    }
    assert!(seqs.is_sorted_by(|a, b| a < b), "{seqs:?}");
    assert_eq!(other.claim_ids(10).await, (0..10).map(|n| nth(n).to_string()).collect::<Vec<_>>());
}

/// The handles take turns.
async fn two_handles_never_claim_one_job(bench: &Bench) {
    let other = bench.second().await;
    bench.put_many(20).await;
    let mut seen = Vec::new();
    for _ in 0..5 {
        seen.extend(bench.claim_ids(2).await);
        seen.extend(other.claim_ids(2).await);
    }
    assert_eq!(seen, (0..20).map(|n| nth(n).to_string()).collect::<Vec<_>>());
}

/// The other handle works before and after.
async fn closing_one_handle_disturbs_no_other(bench: &Bench) {
    let other = bench.second().await;
    let held = bench.put_and_claim("a").await;
    let closed = other.close().await;
    assert_closed(bench, &*closed).await;
    bench.complete(&held).await;
    bench.put_and_claim("b").await;
    assert_eq!(bench.second().await.state("b").await, Some(State::Processing));
}

async fn closing_one_handle_ends_no_stream_of_another(bench: &Bench) {
    let other = bench.second().await;
    let mut stream = bench.store().subscribe(bench.queue(), Interest::Wake).await.expect("it sends hints");
    other.close().await;
    bench.put("a").await;
    stream.next().await.expect("the stream goes on");
}

/// Asserts that the listener gets at least one hint that something was written.
async fn assert_heard(listener: &Bench, writer: &Bench) {
    let listening = listener.store().subscribe(listener.queue(), Interest::Wake).await;
    let mut stream = listening.expect("it sends hints");
    writer.put("a").await;
    stream.next().await.expect("the stream goes on");
    assert_eq!(listener.claim_ids(1).await, ["a"]);
}

async fn a_handle_hints_at_what_another_wrote(bench: &Bench) {
    assert_heard(bench, &bench.second().await).await;
}

async fn a_second_handle_hints_at_what_the_first_wrote(bench: &Bench) {
    assert_heard(&bench.second().await, bench).await;
}

/// The same happens when its process dies.
async fn what_a_closed_handle_held_lapses(bench: &Bench) {
    let other = bench.second().await;
    bench.put("a").await;
    other.claim_one().await;
    other.close().await;
    bench.advance(LEASE);
    assert_eq!(bench.rescue().await.len(), 1);
    bench.changed("a", Event::Delete).await;
}
