//! Who drives a call: its caller, or a task once others wait.

use crate::coalesced::{
    recorder::{Call, Recorder},
    setup::{Pending, Tasks, busy, coalesced, enqueue, every_task_rests, heartbeat, join, release},
};
use futures_util::FutureExt;
use queue_core::{Applied, Certainty, Enqueued, Limits, QueueName, Seq, lifecycle::Transition};
use queue_store::Coalesced;
use std::sync::Arc;
use tokio::task::JoinSet;

fn apply(store: &Coalesced<Recorder>, batch: Vec<Transition>) -> Pending<'_, Vec<Applied>> {
    Box::pin(store.apply(batch))
}

#[tokio::test]
async fn heartbeats_do_not_wait_behind_a_settle_in_flight() {
    let (recorder, store) = coalesced(Limits::default());
    let mut settle = apply(&store, vec![release("a")]);
    join(&mut settle).await;
    recorder.entered().await;
    let beat = apply(&store, vec![heartbeat("b"), heartbeat("c")]).await;
    let ids = |ids: &[&str]| ids.iter().map(ToString::to_string).collect();
    assert_eq!(recorder.calls(), [Call::Settle(ids(&["a"])), Call::Heartbeat(ids(&["b", "c"]))]);
    recorder.open();
    assert_eq!(beat.unwrap().value, [Applied::Missing, Applied::Missing]);
    settle.await.unwrap();
}

#[tokio::test]
async fn a_batch_with_a_settle_in_it_waits_with_the_settles() {
    let (recorder, store) = coalesced(Limits::default());
    let mut first = apply(&store, vec![release("a")]);
    join(&mut first).await;
    recorder.entered().await;
    let mut mixed = apply(&store, vec![heartbeat("b"), release("c")]);
    let mut plain = apply(&store, vec![release("d")]);
    join(&mut mixed).await;
    join(&mut plain).await;
    every_task_rests().await;
    recorder.open();
    for call in [first, mixed, plain] {
        call.await.unwrap();
    }
    let settled = |ids: &[&str]| Call::Settle(ids.iter().map(ToString::to_string).collect());
    assert_eq!(recorder.calls(), [settled(&["a"]), settled(&["b", "c", "d"])]);
}

/// A part of the store may be away.
#[tokio::test]
async fn calls_about_another_queue_do_not_wait_for_one_that_hangs() {
    let (recorder, store) = coalesced(Limits::default());
    let other = |mut transition: Transition| {
        transition.queue = QueueName::from_static("other");
        transition
    };
    let mut hanging = [apply(&store, vec![release("a")]), apply(&store, vec![other(release("c"))])];
    for call in &mut hanging {
        join(call).await;
    }
    apply(&store, vec![heartbeat("b")]).await.unwrap();
    apply(&store, vec![other(heartbeat("d"))]).await.unwrap();
    assert_eq!(recorder.calls().len(), 4, "each is on its way");
    recorder.open();
    for call in hanging {
        call.await.unwrap();
    }
}

#[tokio::test]
async fn calls_that_come_one_after_the_other_need_no_task() {
    let (recorder, tasks) = (Recorder::gated(Limits::default()), Tasks::default());
    let store = Coalesced::new(Arc::new(recorder.clone()), tasks.clone());
    recorder.open();
    for _ in 0..3 {
        enqueue(&store, "q", &["a"]).now_or_never().expect("its caller drives it").unwrap();
        apply(&store, vec![release("a")]).now_or_never().expect("its caller drives it").unwrap();
        apply(&store, vec![heartbeat("a")]).now_or_never().expect("its caller drives it").unwrap();
    }
    assert_eq!(tasks.take().len(), 0);
}

/// As in a `select!` whose other branch makes a call too.
#[tokio::test]
async fn a_caller_whose_future_is_kept_and_not_polled_holds_up_nobody() {
    let (recorder, store) = coalesced(Limits::default());
    let mut kept = busy(&recorder, &store).await;
    let mut other = enqueue(&store, "q", &["a-1"]);
    join(&mut other).await;
    recorder.open();
    assert_eq!(other.await.unwrap().value, [[Enqueued::Queued { seq: Seq::new(1) }]]);
    assert!((&mut kept).now_or_never().expect("it was answered meanwhile").is_ok());
}

/// Once a task drives its call, a caller is woken by that task alone.
#[tokio::test]
async fn a_caller_is_woken_when_a_task_has_carried_its_call_to_the_end() {
    let (recorder, store) = coalesced(Limits::default());
    let store = Arc::new(store);
    let mut callers = JoinSet::new();
    callers.spawn({
        let store = store.clone();
        async move { enqueue(&store, "q", &["first-1"]).await.map(|answer| answer.value) }
    });
    recorder.entered().await;
    let mut other = enqueue(&store, "q", &["a-2"]);
    join(&mut other).await;
    every_task_rests().await;
    recorder.open();
    let answer = callers.join_next().await.expect("it is a caller").unwrap();
    assert_eq!(answer.unwrap(), [[Enqueued::Queued { seq: Seq::new(1) }]]);
    other.await.unwrap();
}

#[tokio::test]
async fn a_call_under_way_goes_on_when_its_caller_and_the_store_are_dropped_and_its_task_ends() {
    let (recorder, tasks) = (Recorder::gated(Limits::default()), Tasks::default());
    let store = Coalesced::new(Arc::new(recorder.clone()), tasks.clone());
    let mut call = enqueue(&store, "q", &["a"]);
    join(&mut call).await;
    drop(call);
    drop(store);
    let tasks = tasks.take();
    assert_eq!(tasks.len(), 1);
    recorder.open();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(recorder.calls(), [Call::Enqueue("q".into(), vec!["a".into()])]);
}

#[test]
fn calls_outlive_the_runtime_that_they_began_on() {
    let runtime = || tokio::runtime::Builder::new_current_thread().build().unwrap();
    let first = runtime();
    let (recorder, store) = {
        let _entered = first.enter();
        coalesced(Limits::default())
    };
    let mut call = enqueue(&store, "q", &["a"]);
    first.block_on(join(&mut call));
    drop(first);
    recorder.open();
    let second = runtime();
    second.block_on(call).unwrap();
    second.block_on(enqueue(&store, "q", &["b"])).unwrap();
    second.block_on(apply(&store, vec![heartbeat("b")])).unwrap();
    assert_eq!(recorder.calls().len(), 3);
}

#[test]
fn calls_that_a_runtime_took_with_it_are_of_unknown_outcome_if_they_were_sent() {
    let runtime = || tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (first, second) = (runtime(), runtime());
    let (recorder, store) = {
        let _entered = first.enter();
        coalesced(Limits::default())
    };
    let (mut sent, mut waits) = (enqueue(&store, "q", &["a"]), enqueue(&store, "q", &["b"]));
    first.block_on(async {
        join(&mut sent).await;
        recorder.entered().await;
        join(&mut waits).await;
        every_task_rests().await;
    });
    drop(first);
    let [sent, waits] = [sent, waits].map(|call| second.block_on(call).unwrap_err().certainty());
    assert_eq!([sent, waits], [Certainty::Unknown, Certainty::NotApplied]);
    recorder.open();
    second.block_on(enqueue(&store, "q", &["c"])).unwrap();
}
