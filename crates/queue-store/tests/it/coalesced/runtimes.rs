//! Callers on several runtimes, of which one stands still.

use crate::coalesced::{
    recorder::Recorder,
    setup::{enqueue, release},
};
use futures_util::{FutureExt, future::BoxFuture};
use queue_core::{
    ClaimRequest, Detail, ErrorKind, JobId, Limits, QueueName, Result, SeededRng, Span, WorkerId,
};
use queue_store::{Coalesced, CurrentRuntime};
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};

type Call<'a> = BoxFuture<'a, Result<()>>;
type Begin = for<'a> fn(&'a Coalesced<Recorder>) -> Call<'a>;

/// One call of every kind that is merged, and that the recorder holds.
const KINDS: [(&str, Begin); 4] = [
    ("enqueue", |store| enqueue(store, "q", &["a"]).map(|it| it.map(drop)).boxed()),
    ("claim", |store| store.claim(request()).map(|it| it.map(drop)).boxed()),
    ("settle", |store| store.apply(vec![release("a")]).map(|it| it.map(drop)).boxed()),
    ("read", |store| async move { store.get(&queue(), &[id()], Detail::Meta).await.map(drop) }.boxed()),
];

fn queue() -> QueueName {
    QueueName::from_static("q")
}

fn id() -> JobId {
    JobId::new("a").expect("valid")
}

fn request() -> ClaimRequest {
    let worker = WorkerId::from_static("w");
    ClaimRequest::new(queue(), worker, 1, Span::from_secs(30), &SeededRng::new(1))
}

fn runtime() -> Runtime {
    Builder::new_current_thread().build().expect("it starts")
}

fn merged() -> (Recorder, Coalesced<Recorder>) {
    let recorder = Recorder::gated(Limits::default());
    (recorder.clone(), Coalesced::new(Arc::new(recorder), CurrentRuntime))
}

/// Polls until nothing more happens without the gate.
async fn go_on(call: &mut Call<'_>) {
    for _ in 0..9 {
        drop(call.as_mut().now_or_never());
        tokio::task::yield_now().await;
    }
}

/// Opens the gate for the call of each runtime. It lets calls pass in their order, so the first
/// opening goes to the call that is not polled, which keeps it.
fn let_both_pass(recorder: &Recorder) {
    recorder.open();
    recorder.open();
}

/// The sockets of the first call belong to a runtime that no thread drives, so no other call may
/// wait for it.
#[test]
fn a_call_goes_out_though_another_runtime_has_one_of_its_kind_under_way() {
    for (kind, begin) in KINDS {
        let (recorder, store) = merged();
        let (stands, lives) = (runtime(), runtime());
        let mut kept = begin(&store);
        stands.block_on(go_on(&mut kept));
        assert_eq!(recorder.calls().len(), 1, "{kind}");
        let mut other = begin(&store);
        lives.block_on(go_on(&mut other));
        assert_eq!(recorder.calls().len(), 2, "the {kind} waits for a runtime that stands still");
        let_both_pass(&recorder);
        lives.block_on(other).expect("it is answered");
        stands.block_on(kept).expect("it is answered");
    }
}

#[test]
fn a_call_goes_out_though_another_runtime_was_left_with_a_call_that_was_dropped() {
    for (kind, begin) in KINDS {
        let (recorder, store) = merged();
        let (stands, lives) = (runtime(), runtime());
        stands.block_on(async {
            let mut dropped = begin(&store);
            go_on(&mut dropped).await;
        });
        let mut other = begin(&store);
        lives.block_on(go_on(&mut other));
        assert_eq!(recorder.calls().len(), 2, "the {kind} waits for a runtime that stands still");
        let_both_pass(&recorder);
        lives.block_on(other).expect("it is answered");
    }
}

#[test]
fn a_runtime_that_ends_takes_no_call_of_another_with_it() {
    for (kind, begin) in KINDS {
        let (recorder, store) = merged();
        let (ends, lives) = (runtime(), runtime());
        let mut taken = begin(&store);
        let mut waits = begin(&store);
        ends.block_on(async {
            go_on(&mut taken).await;
            go_on(&mut waits).await;
        });
        let mut other = begin(&store);
        lives.block_on(go_on(&mut other));
        drop(ends);
        let_both_pass(&recorder);
        lives.block_on(other).unwrap_or_else(|error| panic!("{kind} failed with its neighbour: {error}"));
        // Calls of the ended runtime are no bug, and may be sent again.
        for call in [taken, waits] {
            if let Err(error) = lives.block_on(call) {
                assert_eq!(error.kind(), ErrorKind::Unavailable, "{kind}: {error}");
            }
        }
    }
}

/// What is left of the call uses sockets of the first runtime, and is carried on there.
#[test]
fn a_call_whose_future_moved_and_was_dropped_stays_with_the_runtime_that_began_it() {
    for (kind, begin) in KINDS {
        let (recorder, store) = merged();
        let (begins, drops) = (runtime(), runtime());
        let mut moved = begin(&store);
        begins.block_on(go_on(&mut moved));
        let rests = drops.block_on(async {
            drop(moved);
            tokio::task::yield_now().await;
            store.rest().now_or_never()
        });
        assert!(rests.is_some(), "the runtime that dropped the {kind} waits for the other one");
        let_both_pass(&recorder);
        begins.block_on(begin(&store)).unwrap_or_else(|error| panic!("{kind}: {error}"));
    }
}
