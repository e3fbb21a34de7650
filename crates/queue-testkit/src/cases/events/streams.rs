//! Streams of all changes, and the independence of streams.

use super::listen::{awaiting, change, reached, subscribe};
use crate::bench::prelude::*;
use crate::cases::cases;
use futures_util::StreamExt;
use queue_core::{Hint, Interest, Retention, State, lifecycle::Event};

cases! { "events":
    everything_is_complete_and_in_order [I14 I20] (Hints);
    everything_has_the_order_of_each_job [I20] (Hints);
    a_replay_is_no_change [I5] (Hints);
    a_queue_hears_of_itself_alone [I16] (Hints);
    a_dropped_stream_disturbs_no_other [I16] (Hints);
    a_stream_nobody_reads_holds_up_nothing [I16] (Hints);
    a_thousand_streams_come_and_go [I14 I16] (Hints);
    closing_ends_the_streams [I22] (Hints);
}

async fn everything_is_complete_and_in_order(bench: &Bench) {
    let mut stream = subscribe(bench, Interest::All).await;
    let seq = bench.put_job(job("a").with_retention(Retention::Forever)).await;
    let held = bench.claim_one().await;
    bench.settled(&held, extend(held.token, KEPT)).await;
    bench.fail(&held).await;
    bench.changed("a", Event::Promote).await;
    bench.complete(&bench.claim_one().await).await;
    bench.changed("a", Event::Delete).await;
    let expected = [
        Some(State::Queued),
        Some(State::Processing),
        Some(State::Processing),
        Some(State::Failing),
        Some(State::Failing),
        Some(State::Processing),
        Some(State::Completed),
        None,
    ];
    for (revision, state) in (1..).zip(expected) {
        let change = change(&mut stream).await;
        assert_eq!((change.id, change.seq, change.state), (id("a"), seq, state));
        assert!(
            state.is_none() || change.revision == revision,
            "revision {} is not {revision}",
            change.revision
        );
    }
}

/// Batches are in order too.
async fn everything_has_the_order_of_each_job(bench: &Bench) {
    let mut stream = subscribe(bench, Interest::All).await;
    bench.put_many(100).await;
    let held = bench.claim(100).await;
    let batch = held.iter().map(|job| decided(&job.record.meta, complete(job.token))).collect();
    bench.apply_all(batch).await;
    let mut seen = std::collections::BTreeMap::<_, Vec<u64>>::new();
    for _ in 0..300 {
        let change = change(&mut stream).await;
        seen.entry(change.id).or_default().push(change.revision);
    }
    assert_eq!(seen.len(), 100);
    assert!(seen.values().all(|revisions| *revisions == [1, 2, 3]), "{seen:?}");
}

/// The next hint on the stream belongs to the next job.
async fn a_replay_is_no_change(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let sent = decided(&held.record.meta, release(held.token));
    let mut stream = subscribe(bench, Interest::All).await;
    bench.apply_all(vec![sent.clone(), sent]).await;
    bench.put("b").await;
    assert_eq!(change(&mut stream).await.revision, 3);
    assert_eq!(change(&mut stream).await.id, id("b"));
}

/// The first hint on the stream belongs to the queue.
async fn a_queue_hears_of_itself_alone(bench: &Bench) {
    let other = bench.on_queue("other");
    let mut stream = subscribe(bench, Interest::All).await;
    other.put("a").await;
    other.complete(&other.claim_one().await).await;
    let seq = bench.put("a").await;
    assert_eq!(change(&mut stream).await.seq, seq);
}

async fn a_dropped_stream_disturbs_no_other(bench: &Bench) {
    let mut kept = subscribe(bench, Interest::All).await;
    for interest in [Interest::All, Interest::Wake, Interest::Jobs(vec![id("a")])] {
        drop(subscribe(bench, interest).await);
    }
    bench.put_job(job("a").awaited()).await;
    bench.complete(&bench.claim_one().await).await;
    reached(&mut kept, "a", Some(State::Completed)).await;
}

/// The stream loses hints, and nothing else happens.
async fn a_stream_nobody_reads_holds_up_nothing(bench: &Bench) {
    let unread = subscribe(bench, Interest::All).await;
    let mut read = awaiting(bench, &["last"]).await;
    bench.put_many(5000).await;
    bench.claim(5000).await;
    bench.put_job(job("last").awaited()).await;
    bench.complete(&bench.claim_one().await).await;
    // As a caller waits: a store may miss hints of so many changes, and then says that it did.
    while let Some(hint) = read.next().await {
        let is_there = match hint {
            Hint::Job(change) => change.id == id("last") && change.state == Some(State::Completed),
            Hint::Completed(job) => job.id == id("last"),
            Hint::Missed => bench.state("last").await == Some(State::Completed),
            Hint::Wake => false,
        };
        if is_there {
            return drop(unread);
        }
    }
    panic!("the stream ended, and the store is open");
}

/// Every waiting call has a stream, so streams share what they need of the server.
async fn a_thousand_streams_come_and_go(bench: &Bench) {
    for round in 0..3 {
        let texts: Vec<String> = (0..1000).map(|waiter| format!("{round}-{waiter}")).collect();
        let mut streams = Vec::new();
        for text in &texts {
            streams.push(awaiting(bench, &[text]).await);
        }
        for waiter in [0, 500, 999] {
            bench.put_job(job(&texts[waiter]).awaited()).await;
            bench.complete(&bench.claim_one().await).await;
            reached(&mut streams[waiter], &texts[waiter], Some(State::Completed)).await;
        }
    }
}

async fn closing_ends_the_streams(bench: &Bench) {
    let mut streams = Vec::new();
    for interest in [Interest::Wake, Interest::All, Interest::Jobs(vec![id("a")])] {
        streams.push(subscribe(bench, interest).await);
    }
    // A program may keep the handle: its streams end by the close, not because the last reference
    // to the store is dropped.
    let closed = bench.close().await;
    for stream in &mut streams {
        while stream.next().await.is_some() {}
    }
    drop(closed);
}
