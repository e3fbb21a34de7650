//! The tasks that merge calls.

use crate::{
    recorder::{Call, Recorder},
    setup::{Pending, Tasks, coalesced, enqueue, every_task_rests, heartbeat, join, release},
};
use std::sync::Arc;

use queue_core::{Applied, Limits, QueueName, lifecycle::Transition};
use queue_store::Coalesced;

fn apply(store: &Coalesced<Recorder>, batch: Vec<Transition>) -> Pending<'_, Vec<Applied>> {
    Box::pin(store.apply(batch))
}

#[tokio::test]
async fn heartbeats_do_not_wait_behind_a_settle_in_flight() {
    let (recorder, store) = coalesced(Limits::default());
    let mut settle = apply(&store, vec![release("a")]);
    join(&mut settle).await;
    recorder.entered().await;
    let mut beat = apply(&store, vec![heartbeat("b"), heartbeat("c")]);
    join(&mut beat).await;
    every_task_rests().await;
    let ids = |ids: &[&str]| ids.iter().map(ToString::to_string).collect();
    assert_eq!(recorder.calls(), [Call::Settle(ids(&["a"])), Call::Heartbeat(ids(&["b", "c"]))]);
    recorder.open();
    assert_eq!(beat.await.unwrap().value, [Applied::Missing, Applied::Missing]);
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

/// A part of the store may be unreachable.
#[tokio::test]
async fn calls_about_another_queue_do_not_wait_for_one_that_hangs() {
    let (recorder, store) = coalesced(Limits::default());
    let other = |mut transition: Transition| {
        transition.queue = QueueName::from_static("other");
        transition
    };
    let mut hanging = [
        apply(&store, vec![release("a")]),
        apply(&store, vec![heartbeat("b")]),
        apply(&store, vec![other(release("c"))]),
        apply(&store, vec![other(heartbeat("d"))]),
    ];
    for call in &mut hanging {
        join(call).await;
        every_task_rests().await;
    }
    assert_eq!(recorder.calls().len(), 4, "each is on its way");
    recorder.open();
    for call in hanging {
        call.await.unwrap();
    }
}

#[tokio::test]
async fn the_tasks_end_when_the_store_is_dropped_and_waiting_calls_still_arrive() {
    let (recorder, tasks) = (Recorder::gated(Limits::default()), Tasks::default());
    let store = Coalesced::new(Arc::new(recorder.clone()), tasks.clone());
    let tasks = tasks.take();
    assert_eq!(tasks.len(), 3, "enqueues, settles, heartbeats");
    let mut call = enqueue(&store, "q", &["a"]);
    join(&mut call).await;
    drop(call);
    drop(store);
    recorder.open();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(recorder.calls(), [Call::Enqueue("q".into(), vec!["a".into()])]);
}

#[test]
fn lanes_outlive_the_runtime_that_they_began_on() {
    let runtime = || tokio::runtime::Builder::new_current_thread().build().unwrap();
    let first = runtime();
    let (recorder, store) = {
        let _entered = first.enter();
        coalesced(Limits::default())
    };
    recorder.open();
    first.block_on(enqueue(&store, "q", &["a"])).unwrap();
    drop(first);
    let second = runtime();
    second.block_on(enqueue(&store, "q", &["b"])).unwrap();
    second.block_on(apply(&store, vec![heartbeat("b")])).unwrap();
    assert_eq!(recorder.calls().len(), 3);
}

#[test]
fn a_call_that_its_runtime_took_with_it_is_of_unknown_outcome() {
    let runtime = || tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (first, second) = (runtime(), runtime());
    let (recorder, store) = {
        let _entered = first.enter();
        coalesced(Limits::default())
    };
    let mut call = enqueue(&store, "q", &["a"]);
    first.block_on(async {
        join(&mut call).await;
        recorder.entered().await;
    });
    drop(first);
    let error = second.block_on(call).unwrap_err();
    assert_eq!(error.certainty(), queue_core::Certainty::Unknown, "{error}");
}
