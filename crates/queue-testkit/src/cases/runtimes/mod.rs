//! Several runtimes on one handle: one stands still, is kept without being driven, or ends with
//! calls under way. The calls and the hints of another runtime go on.
//!
//! Programs with a runtime for each core meet this, and programs that use a handle between two
//! `block_on`. No time is measured: a call that waits for the other runtime never ends, and the
//! limit of the suite ends the case.

mod other_runtime;

use super::{
    cases,
    events::listen::{subscribe, woken},
};
use crate::bench::prelude::*;
use futures_util::{FutureExt, StreamExt};
use other_runtime::{CLAIMS, Fate, OtherRuntime, Past, QUIET};
use queue_core::{Interest, ListQuery, State};

cases! { "runtimes":
    a_runtime_whose_thread_is_blocked_holds_up_no_other [I15 I16];
    a_runtime_that_is_kept_and_not_driven_holds_up_no_other [I15 I16];
    a_runtime_that_ends_takes_no_call_of_another_with_it [I15 I16];
    calls_that_are_dropped_on_another_runtime_hold_up_neither [I15 I16];
    a_stream_goes_on_beside_a_runtime_whose_thread_is_blocked [I15 I16] (Hints SecondHandle);
    a_stream_goes_on_beside_a_runtime_that_is_kept_and_not_driven [I15 I16] (Hints SecondHandle);
    a_stream_goes_on_beside_a_runtime_that_ended [I15 I16] (Hints SecondHandle);
}

/// The jobs that a round enqueues beside the other runtime.
const JOBS: usize = 4;

/// A task of the other runtime waits for something that is no future.
async fn a_runtime_whose_thread_is_blocked_holds_up_no_other(bench: &Bench) {
    goes_on_beside(bench, Fate::Blocked).await;
}

/// The calls of the other runtime wait between two `block_on`.
async fn a_runtime_that_is_kept_and_not_driven_holds_up_no_other(bench: &Bench) {
    goes_on_beside(bench, Fate::Kept).await;
}

/// The calls of the other runtime are dropped once it has ended.
async fn a_runtime_that_ends_takes_no_call_of_another_with_it(bench: &Bench) {
    goes_on_beside(bench, Fate::Ended).await;
}

/// The futures of the calls moved here.
async fn calls_that_are_dropped_on_another_runtime_hold_up_neither(bench: &Bench) {
    goes_on_beside(bench, Fate::Robbed).await;
}

async fn a_stream_goes_on_beside_a_runtime_whose_thread_is_blocked(bench: &Bench) {
    hears_beside(bench, Fate::Blocked).await;
}

async fn a_stream_goes_on_beside_a_runtime_that_is_kept_and_not_driven(bench: &Bench) {
    hears_beside(bench, Fate::Kept).await;
}

async fn a_stream_goes_on_beside_a_runtime_that_ended(bench: &Bench) {
    hears_beside(bench, Fate::Ended).await;
}

/// Calls of every kind are answered beside another runtime.
async fn goes_on_beside(bench: &Bench, fate: Fate) {
    for (round, past) in Past::ALL.into_iter().enumerate() {
        let bench = &bench.on_queue(&format!("round-{round}"));
        let held = bench.put_and_claim("held").await;
        let (other, taken) = OtherRuntime::start(bench, past, &held, fate).await;
        drop(taken);
        use_everything(bench, "beside").await;
        bench.settled(&held, extend(held.token, KEPT)).await;
        other.end().await;
        // What the other runtime left behind is in the way of nothing.
        use_everything(bench, "after").await;
        bench.complete(&held).await;
    }
}

async fn use_everything(bench: &Bench, when: &str) {
    let names: Vec<_> = (0..JOBS).map(|n| format!("{when}-{n}")).collect();
    for name in &names {
        assert!(bench.enqueue(job(name)).await.is_new());
        assert!(bench.state(name).await.is_some());
    }
    assert!(!bench.list(ListQuery::all(bench.queue().clone(), 100)).await.is_empty());
    assert!(bench.counts().await.total() > 0);
    // The claims of the other runtime may have taken one job each.
    let claimed = bench.claim(100).await;
    assert!(claimed.len() >= JOBS - CLAIMS, "{:?}", ids_of(&claimed));
    for job in &claimed {
        bench.settled(job, extend(job.token, KEPT)).await;
        assert_eq!(bench.complete(job).await.state, State::Completed);
    }
}

/// A stream of this runtime brings what another handle writes. The other runtime subscribed first.
async fn hears_beside(bench: &Bench, fate: Fate) {
    let writer = bench.second().await.on_queue(QUIET);
    let quiet = bench.on_queue(QUIET);
    for (round, past) in Past::ALL.into_iter().enumerate() {
        let bench = &bench.on_queue(&format!("round-{round}"));
        let held = bench.put_and_claim("held").await;
        let (other, taken) = OtherRuntime::start(bench, past, &held, fate).await;
        drop(taken);
        let mut stream = subscribe(&quiet, Interest::Wake).await;
        // A listener may tell at its start that something was missed.
        while stream.next().now_or_never().is_some() {}
        writer.put(&format!("heard-{round}")).await;
        woken(&mut stream).await;
        other.end().await;
        bench.complete(&held).await;
    }
}
