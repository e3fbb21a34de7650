//! Heartbeats, and the progress that they carry.

use super::cases;
use crate::bench::prelude::*;
use bytes::Bytes;
use queue_core::{
    Applied, Changed, Span, State,
    lifecycle::{Event, Rejected},
};

cases! { "extend":
    a_heartbeat_counts_from_now [I3];
    a_heartbeat_can_shorten_the_lease [I3 I15];
    a_heartbeat_works_until_the_last_millisecond [I3];
    a_job_that_is_kept_alive_never_lapses [I3 I15];
    progress_is_stored_and_replaced [I13];
    a_heartbeat_without_progress_keeps_it [I13];
    empty_progress_is_progress [I13];
    progress_is_byte_exact [I13];
    a_heartbeat_does_not_disturb_the_settle [I5];
    a_heartbeat_heeds_no_flags [I10];
    a_heartbeat_moves_only_the_lease [I6];
    a_batch_of_heartbeats_is_answered_one_by_one [I19];
    a_waiting_job_cannot_be_extended [I3];
    heartbeats_do_not_change_who_holds_it [I3];
}

/// The new end does not depend on the end of the lease before.
async fn a_heartbeat_counts_from_now(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.advance(Span::from_secs(20));
    let meta = bench.settled(&held, extend(held.token, LEASE)).await;
    assert_eq!(meta.lease.expect("leased").expires_at, bench.now() + LEASE);
}

/// A holder may want to hand the job over soon.
async fn a_heartbeat_can_shorten_the_lease(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.settled(&held, extend(held.token, MILLI)).await;
    bench.advance(MILLI);
    assert_eq!(bench.rescue().await.len(), 1);
}

/// At the lapse itself it is too late.
async fn a_heartbeat_works_until_the_last_millisecond(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.advance(Span::from_millis(LEASE.as_millis() - 1));
    bench.settled(&held, extend(held.token, MILLI)).await;
    bench.advance(MILLI);
    assert!(matches!(bench.settle(&held, extend(held.token, LEASE)).await, Changed::LeaseLost(_)));
}

/// The lease is extended for many times its length.
async fn a_job_that_is_kept_alive_never_lapses(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    for _ in 0..20 {
        bench.advance(Span::from_secs(20));
        assert_eq!(bench.rescue().await, []);
        bench.settled(&held, extend(held.token, LEASE)).await;
    }
    assert_eq!(bench.complete(&held).await.stalls, 0);
}

async fn report(bench: &Bench, held: &queue_core::ClaimedJob, progress: Option<&[u8]>) -> Option<Bytes> {
    let progress = progress.map(Bytes::copy_from_slice);
    bench
        .settled(held, Event::Extend { token: held.token, by: LEASE, progress })
        .await
        .progress
        .map(|reported| *reported)
}

/// The last value counts.
async fn progress_is_stored_and_replaced(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    for text in ["10%", "50%", "9"] {
        assert_eq!(report(bench, &held, Some(text.as_bytes())).await.as_deref(), Some(text.as_bytes()));
        assert_eq!(bench.meta("a").await.progress(), Some(text.as_bytes()));
    }
}

/// Most heartbeats carry no progress.
async fn a_heartbeat_without_progress_keeps_it(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    report(bench, &held, Some(b"half")).await;
    assert_eq!(report(bench, &held, None).await.as_deref(), Some(&b"half"[..]));
    bench.complete(&held).await;
    assert_eq!(bench.meta("a").await.progress(), Some(&b"half"[..]));
}

/// Empty progress differs from no progress.
async fn empty_progress_is_progress(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    report(bench, &held, Some(b"half")).await;
    report(bench, &held, Some(b"")).await;
    assert_eq!(bench.meta("a").await.progress(), Some(&b""[..]));
}

async fn progress_is_byte_exact(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let bytes: Vec<u8> = (0..=u8::MAX).collect();
    report(bench, &held, Some(&bytes)).await;
    assert_eq!(bench.meta("a").await.progress(), Some(bytes.as_slice()));
}

/// A settle that was decided before the heartbeat still applies.
async fn a_heartbeat_does_not_disturb_the_settle(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let settle = decided(&held.record.meta, complete(held.token));
    bench.settled(&held, extend(held.token, KEPT)).await;
    assert_done!([bench.apply(settle).await]);
}

/// Its answer only carries them.
async fn a_heartbeat_heeds_no_flags(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let beat = decided(&held.record.meta, extend(held.token, LEASE));
    bench.cancel("a").await;
    bench.changed("a", Event::Await).await;
    match bench.apply(beat).await {
        Applied::Done(meta) => assert!(meta.cancel_requested && meta.awaited),
        other => panic!("{other:?}"),
    }
}

/// The revision grows too, for watchers.
async fn a_heartbeat_moves_only_the_lease(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.advance(RETRY);
    let meta = bench.settled(&held, extend(held.token, LEASE)).await;
    let expected = queue_core::JobMeta {
        lease: meta.lease.clone(),
        revision: held.record.meta.revision + 1,
        ..held.record.meta
    };
    assert_eq!(meta, expected);
}

/// The batch covers all running jobs of a worker, some of which no longer exist.
async fn a_batch_of_heartbeats_is_answered_one_by_one(bench: &Bench) {
    bench.put_many(500).await;
    let held = bench.claim(500).await;
    for n in [3, 77] {
        bench.complete(&held[n]).await;
    }
    bench.advance(RETRY);
    let batch = held.iter().map(|job| decided(&job.record.meta, extend(job.token, LEASE))).collect();
    for (n, answer) in bench.apply_all(batch).await.into_iter().enumerate() {
        match answer {
            Applied::Done(meta) => assert_eq!(meta.lease.expect("leased").expires_at, bench.now() + LEASE),
            Applied::LeaseLost(meta) => assert!([3, 77].contains(&n) && meta.state == State::Completed),
            other => panic!("{n}: {other:?}"),
        }
    }
}

async fn a_waiting_job_cannot_be_extended(bench: &Bench) {
    bench.put("a").await;
    let token = bench.request(1).token;
    let refused = bench.change("a", extend(token, LEASE)).await;
    assert_eq!(refused, Changed::Rejected(Rejected::NotAllowed(State::Queued)));
}

/// The worker's name stays.
async fn heartbeats_do_not_change_who_holds_it(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let meta = bench.settled(&held, extend(held.token, LEASE)).await;
    assert_eq!(meta.lease.expect("leased").worker, worker("worker-1"));
}
