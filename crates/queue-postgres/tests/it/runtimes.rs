//! Handles that several runtimes call, of which one is not driven or ends. What all stores have in
//! common is in the suite.

use crate::common::{Place, assert_sound, claim, complete, enqueue, job, queue, settle};
use futures_util::{FutureExt, StreamExt};
use queue_core::{Changed, Hint, Interest, Span, Storage, lifecycle::Event};
use queue_postgres::{PostgresOptions, PostgresStorage};
use sqlx::postgres::PgPoolOptions;
use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::Duration,
};
use tokio::runtime::{Builder, Handle, Runtime};

/// A store with at most this many connections for calls, and how many connections were opened.
async fn counting(place: &Place, connections_max: u32) -> (PostgresStorage, Arc<AtomicUsize>) {
    let connects = Arc::new(AtomicUsize::new(0));
    let counted = connects.clone();
    let pool = PgPoolOptions::new().after_connect(move |_, _| {
        counted.fetch_add(1, SeqCst);
        Box::pin(async { Ok(()) })
    });
    let pool = pool.connect_lazy(&place.schema.url).expect("it is valid");
    let options = PostgresOptions::with_pool(pool).connections_max(connections_max);
    let options = options.schema(&place.schema.name).expect("it is valid");
    (PostgresStorage::open(options).await.expect("it opens"), connects)
}

#[test]
fn two_runtimes_keep_connections_of_their_own() {
    let (first, second) = (Runtime::new().unwrap(), Runtime::new().unwrap());
    let Some(place) = first.block_on(Place::new()) else { return };
    let (store, connects) = first.block_on(counting(&place, 2));
    for n in 0..20 {
        first.block_on(enqueue(&store, vec![job(&format!("first-{n}"))]));
        second.block_on(enqueue(&store, vec![job(&format!("second-{n}"))]));
    }
    assert_eq!(connects.load(SeqCst), 2, "a connection is opened once for each runtime");
    first.block_on(async {
        assert_sound(&store).await;
        store.close().await.unwrap();
        place.remove().await;
    });
}

#[test]
fn each_runtime_has_room_for_as_many_connections_as_another() {
    let (first, second) = (Runtime::new().unwrap(), Runtime::new().unwrap());
    let Some(place) = first.block_on(Place::new()) else { return };
    let (store, connects) = first.block_on(counting(&place, 1));
    for n in 0..5 {
        first.block_on(enqueue(&store, vec![job(&format!("first-{n}"))]));
        second.block_on(enqueue(&store, vec![job(&format!("second-{n}"))]));
    }
    assert_eq!(connects.load(SeqCst), 2, "neither closes what the other keeps");
    first.block_on(async {
        assert_sound(&store).await;
        store.close().await.unwrap();
        place.remove().await;
    });
}

/// A limit for all runtimes would leave no connection to the second one.
#[test]
fn the_connection_of_a_call_that_is_not_driven_is_in_the_way_of_no_other_runtime() {
    let stands = Builder::new_current_thread().enable_all().build().unwrap();
    let lives = Runtime::new().unwrap();
    let Some(place) = lives.block_on(Place::new()) else { return };
    let (store, _) = lives.block_on(counting(&place, 1));
    let queue = queue();
    let mut kept = store.counts(&queue);
    stands.block_on(async {
        enqueue(&store, vec![job("a")]).await;
        // The server may answer before this thread looks for the answer.
        while (&mut kept).now_or_never().is_some() {
            kept = store.counts(&queue);
        }
    });
    lives.block_on(enqueue(&store, vec![job("b")]));
    assert!(stands.block_on(kept).unwrap().total() > 0, "it is answered once its runtime goes on");
    lives.block_on(async {
        assert_sound(&store).await;
        store.close().await.unwrap();
        place.remove().await;
    });
}

/// Neither its connections nor its tasks can be waited for.
#[test]
fn a_handle_closes_beside_a_runtime_that_is_not_driven() {
    let stands = Builder::new_current_thread().enable_all().build().unwrap();
    let lives = Runtime::new().unwrap();
    let Some(place) = lives.block_on(Place::new()) else { return };
    let store = lives.block_on(place.open());
    let queue = queue();
    let mut kept = [store.counts(&queue), store.counts(&queue)];
    let hints = stands.block_on(async {
        let hints = store.subscribe(&queue, Interest::Wake).await.unwrap();
        // A claim that was dropped is given back later.
        drop(claim(&store, 1).now_or_never());
        for call in &mut kept {
            drop(call.now_or_never());
        }
        hints
    });
    lives.block_on(store.close()).unwrap();
    drop((kept, hints));
    drop(stands);
    lives.block_on(place.remove());
}

/// As a program of many tests has them, or one that blocks on a runtime for each call.
#[test]
fn runtimes_that_ended_leave_no_connection() {
    let lives = Runtime::new().unwrap();
    let Some(place) = lives.block_on(Place::new()) else { return };
    let store = lives.block_on(place.open());
    for n in 0..40 {
        let ends = Builder::new_current_thread().enable_all().build().unwrap();
        ends.block_on(async {
            enqueue(&store, vec![job(&n.to_string())]).await;
            let _hints = store.subscribe(&queue(), Interest::Wake).await.unwrap();
        });
    }
    lives.block_on(async {
        store.close().await.unwrap();
        place.until_sessions_are_gone().await;
        place.remove().await;
    });
}

#[test]
fn the_connections_of_a_runtime_go_with_it() {
    let (first, second) = (Runtime::new().unwrap(), Runtime::new().unwrap());
    let Some(place) = first.block_on(Place::new()) else { return };
    let store = first.block_on(async {
        let store = place.open().await;
        enqueue(&store, vec![job("a")]).await;
        store
    });
    drop(first);
    second.block_on(async {
        // No call reaches the store meanwhile.
        place.until_sessions_are_gone().await;
        enqueue(&store, vec![job("b")]).await;
        assert_sound(&store).await;
        store.close().await.unwrap();
        place.remove().await;
    });
}

#[test]
fn a_handle_goes_on_where_it_is_called_when_its_first_runtime_ended() {
    let (first, second) = (Runtime::new().unwrap(), Runtime::new().unwrap());
    let Some(place) = first.block_on(Place::new()) else { return };
    let (store, mut hints) = first.block_on(async {
        let store = place.open().await;
        let hints = store.subscribe(&queue(), Interest::Wake).await.unwrap();
        enqueue(&store, vec![job("a")]).await;
        let held = claim(&store, 1).await.jobs.pop().unwrap();
        settle(&store, &held.record.meta, complete(held.token)).await;
        (store, hints)
    });
    drop(first);
    // The stream ends, so that its reader subscribes again.
    while hints.next().now_or_never().expect("it has ended").is_some() {}
    second.block_on(async {
        enqueue(&store, vec![job("b")]).await;
        let held = claim(&store, 1).await.jobs.pop().expect("it is due");
        let beat = Event::Extend { token: held.token, by: Span::from_secs(60), progress: None };
        assert!(matches!(settle(&store, &held.record.meta, beat).await, Changed::Done(_)));
        assert!(matches!(settle(&store, &held.record.meta, complete(held.token)).await, Changed::Done(_)));
        let mut hints = store.subscribe(&queue(), Interest::Wake).await.unwrap();
        let other = place.open().await;
        enqueue(&other, vec![job("c")]).await;
        assert_eq!(hints.next().await, Some(Hint::Wake));
        other.close().await.unwrap();
        assert_sound(&store).await;
        store.close().await.unwrap();
        place.remove().await;
    });
}

/// Tasks that such a runtime is given are dropped at once, where they are given to it.
#[test]
fn a_first_call_on_a_runtime_that_is_ending_keeps_nobody_waiting() {
    let first = Runtime::new().unwrap();
    let Some(place) = first.block_on(Place::new()) else { return };
    let store = Arc::new(first.block_on(place.open()));
    let (begins, begun) = mpsc::channel();
    let (ends, ended) = mpsc::channel();
    // One worker makes the call, and the other ends the runtime meanwhile.
    let ending = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let called = store.clone();
    ending.spawn(async move {
        begins.send(()).unwrap();
        while !Handle::current().spawn(pending::<()>()).is_finished() {
            thread::yield_now();
        }
        // It never answers: the runtime that would wait for the server has ended.
        drop(called.counts(&queue()).now_or_never());
        ends.send(()).unwrap();
    });
    begun.recv().unwrap();
    ending.shutdown_background();
    ended.recv_timeout(Duration::from_mins(1)).expect("the call waits for nobody");
    first.block_on(async {
        assert_sound(&*store).await;
        store.close().await.unwrap();
        place.remove().await;
    });
}
