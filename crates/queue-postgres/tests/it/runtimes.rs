//! Handles that several runtimes call, and handles whose first runtime ended.

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
fn a_runtime_takes_the_room_of_what_idles_on_another() {
    let (first, second) = (Runtime::new().unwrap(), Runtime::new().unwrap());
    let Some(place) = first.block_on(Place::new()) else { return };
    let (store, connects) = first.block_on(counting(&place, 1));
    for n in 0..5 {
        first.block_on(enqueue(&store, vec![job(&format!("first-{n}"))]));
        second.block_on(enqueue(&store, vec![job(&format!("second-{n}"))]));
    }
    assert_eq!(connects.load(SeqCst), 10, "one at a time is allowed, so each call closes the other's");
    first.block_on(async {
        assert_sound(&store).await;
        store.close().await.unwrap();
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
        // Nobody calls the store meanwhile.
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
    second.block_on(async {
        enqueue(&store, vec![job("b")]).await;
        let held = claim(&store, 1).await.jobs.pop().expect("it is due");
        let beat = Event::Extend { token: held.token, by: Span::from_secs(60), progress: None };
        assert!(matches!(settle(&store, &held.record.meta, beat).await, Changed::Done(_)));
        assert!(matches!(settle(&store, &held.record.meta, complete(held.token)).await, Changed::Done(_)));
        // The next subscriber makes the store listen again, for the earlier ones too, who are told
        // to read again.
        let _more = store.subscribe(&queue(), Interest::Wake).await.unwrap();
        assert!(hints.next().now_or_never().is_some());
        while hints.next().now_or_never().is_some() {}
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
        // It never answers: the runtime that would wait for the server is gone.
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
