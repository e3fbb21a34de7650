//! Jobs of the library's own kinds, which an older worker may not know.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{
    Budget, Changed, JobMeta, Kind, NewJob, Reason, State, StorageExt,
    lifecycle::{Cause, Event, RESERVED_KIND_WAIT, Unhandled},
};

cases! { "reserved":
    a_worker_that_does_not_know_a_reserved_kind_puts_it_back_uncharged [I7 I11];
    nothing_follows_and_nothing_is_told_of_it [I9 I23];
    it_is_cancelled_all_the_same_if_that_was_asked_for [I10];
    a_reserved_kind_fails_and_stalls_of_other_causes_like_any [I7 I8];
    its_lapses_add_up_and_never_make_it_wait [I7 I15];
    a_kind_that_only_looks_like_one_is_as_any [I8];
}

fn reserved() -> NewJob {
    NewJob::new(id("a"), Kind::from_static("queue.schedule"), text_payload("every day"))
}

async fn unknown(bench: &Bench, rule: Unhandled, then: Vec<NewJob>) -> JobMeta {
    let held = bench.claim_one().await;
    let event = fail_then(held.token, Cause::UnknownKind, then);
    let changed = bench.store().settle(&held.record.meta, event, &policy().unknown_kind(rule)).await;
    match changed.expect("settle answers") {
        Changed::Done(meta) => meta,
        other => panic!("{other:?}"),
    }
}

/// The case covers both policies, many repeats, and a budget of one.
async fn a_worker_that_does_not_know_a_reserved_kind_puts_it_back_uncharged(bench: &Bench) {
    let once = Budget::from_raw(1);
    bench.put_job(reserved().with_max_attempts(once).with_max_stalls(once)).await;
    for n in 0..40 {
        let rule = if n % 2 == 0 { Unhandled::Fail } else { Unhandled::Retry };
        let meta = unknown(bench, rule, Vec::new()).await;
        assert_eq!((meta.state, meta.failures, meta.last_error), (State::Queued, 0, None));
        assert_eq!(meta.run_at, bench.now() + RESERVED_KIND_WAIT);
        bench.advance(queue_core::Span::from_millis(RESERVED_KIND_WAIT.as_millis() - 1));
        bench.assert_nothing_due().await;
        bench.advance(MILLI);
    }
    assert_eq!(bench.claim_one().await.record.meta.attempt(), 1);
}

/// The job has not failed, so nothing follows.
async fn nothing_follows_and_nothing_is_told_of_it(bench: &Bench) {
    bench.put_job(reserved().with_on_failure(Kind::from_static("mourn"))).await;
    unknown(bench, Unhandled::Fail, vec![job("next")]).await;
    assert_eq!(bench.counts().await.total(), 1);
}

/// A job marked to be cancelled is cancelled, since no other worker need see it.
async fn it_is_cancelled_all_the_same_if_that_was_asked_for(bench: &Bench) {
    bench.put_job(reserved()).await;
    let held = bench.claim_one().await;
    bench.cancel("a").await;
    let meta = bench.settled(&held, fail_because(held.token, Cause::UnknownKind)).await;
    assert_eq!((meta.state, meta.failures), (State::Cancelled, 0));
}

/// A worker that knows the kind may find the job broken.
async fn a_reserved_kind_fails_and_stalls_of_other_causes_like_any(bench: &Bench) {
    bench.put_job(reserved()).await;
    bench.claim_one().await;
    bench.advance(LEASE);
    assert_eq!(bench.rescue().await[0].stalls, 1);
    assert_eq!(bench.fail(&bench.claim_one().await).await.failures, 1);
    bench.advance(RETRY);
    let meta = bench.fail_terminally(&bench.claim_one().await).await;
    assert_eq!((meta.state, meta.reason), (State::Failed, Some(Reason::Terminal)));
}

/// Such a job lives for years, through many deaths of workers that it did not cause.
async fn its_lapses_add_up_and_never_make_it_wait(bench: &Bench) {
    bench.put_job(reserved().with_max_stalls(Budget::Unlimited)).await;
    for stalls in 1..=40 {
        bench.claim_one().await;
        bench.advance(LEASE);
        assert_eq!(bench.rescue().await[0].stalls, stalls);
    }
    assert_eq!(bench.claim_ids(1).await, ["a"], "due at once");
}

/// Only the prefix with its dot makes a kind reserved.
async fn a_kind_that_only_looks_like_one_is_as_any(bench: &Bench) {
    for kind in ["queue", "queues.x", "Queue.x", "my.queue.x", " queue.x"] {
        bench.put_job(NewJob::new(id("a"), Kind::from_static(kind), text_payload("x"))).await;
        let meta = unknown(bench, Unhandled::Fail, Vec::new()).await;
        assert_eq!((meta.state, meta.reason), (State::Failed, Some(Reason::UnknownKind)), "{kind}");
        bench.changed("a", Event::Delete).await;
    }
}
