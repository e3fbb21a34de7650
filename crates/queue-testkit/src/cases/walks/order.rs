//! The order of each index.

use super::{along, fail_finally, put_later, run_each, tag};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{
    Direction::{self, NewestFirst, OldestFirst},
    ListQuery, Span, State, Walk,
    lifecycle::Event,
};

cases! { "list":
    every_index_has_both_ends [I20];
    failed_jobs_are_listed_by_when_they_failed [I20];
    cancelled_jobs_are_listed_by_when_that_was [I20];
    failing_jobs_are_listed_by_their_last_failure [I20];
    running_jobs_are_listed_by_when_they_were_claimed [I20];
    due_jobs_are_listed_in_the_order_of_claims [I12];
    scheduled_jobs_are_listed_by_time [I12];
    a_job_whose_time_has_come_is_due_and_scheduled_no_more [I11 I12];
    many_that_came_into_a_state_at_once_are_listed_once [I20];
}

fn reversed(mut ids: Vec<String>) -> Vec<String> {
    ids.reverse();
    ids
}

/// Both directions list the same jobs, in pages of any size.
async fn every_index_has_both_ends(bench: &Bench) {
    for round in 0..3 {
        for text in ["a", "b", "c"] {
            let held = bench.put_and_claim(&format!("{text}{round}")).await;
            match text {
                "a" => bench.complete(&held).await,
                "b" => bench.fail_terminally(&held).await,
                _ => bench.fail(&held).await,
            };
        }
        bench.put_job(job(&format!("d{round}")).with_delay(KEPT).with_tags(tags(["t"]))).await;
        bench.put(&format!("e{round}")).await;
        bench.cancel(&format!("e{round}")).await;
        bench.put_and_claim(&format!("f{round}")).await;
        bench.advance(MILLI);
    }
    let mut walks: Vec<fn(Direction) -> Walk> = vec![Walk::All, |end| Walk::Tagged(tag("t"), end)];
    walks
        .extend([|end| Walk::State(State::Queued, end), |end| Walk::State(State::Processing, end)]
            as [fn(_) -> _; 2]);
    walks
        .extend([|end| Walk::State(State::Failing, end), |end| Walk::State(State::Failed, end)]
            as [fn(_) -> _; 2]);
    walks.extend([|end| Walk::State(State::Completed, end), |end| Walk::State(State::Cancelled, end)]
        as [fn(_) -> _; 2]);
    for walk in walks {
        let oldest = bench.list_ids(along(bench, walk(OldestFirst))).await;
        assert_eq!(oldest.len(), if matches!(walk(OldestFirst), Walk::All(_)) { 18 } else { 3 });
        for limit in [1, 2, 3, 100] {
            let newest = ListQuery { limit, ..along(bench, walk(NewestFirst)) };
            assert_eq!(reversed(bench.list_ids(newest).await), oldest, "pages of {limit}");
        }
    }
}

async fn failed_jobs_are_listed_by_when_they_failed(bench: &Bench) {
    put_later(bench, &["a", "b", "c", "d"]).await;
    run_each(bench, &["c", "a", "d", "b"], fail_finally).await;
    let failed = |end| along(bench, Walk::State(State::Failed, end));
    assert_eq!(bench.list_ids(failed(OldestFirst)).await, ["c", "a", "d", "b"]);
    assert_eq!(bench.list_ids(failed(NewestFirst)).await, ["b", "d", "a", "c"]);
}

async fn cancelled_jobs_are_listed_by_when_that_was(bench: &Bench) {
    put_later(bench, &["a", "b", "c"]).await;
    for text in ["b", "c", "a"] {
        bench.cancel(text).await;
        bench.advance(MILLI);
    }
    let cancelled = along(bench, Walk::State(State::Cancelled, NewestFirst));
    assert_eq!(bench.list_ids(cancelled).await, ["a", "c", "b"]);
}

/// A job that fails again moves to the front.
async fn failing_jobs_are_listed_by_their_last_failure(bench: &Bench) {
    put_later(bench, &["a", "b", "c"]).await;
    run_each(bench, &["b", "c", "a", "c"], fail).await;
    let failing = |end| along(bench, Walk::State(State::Failing, end));
    assert_eq!(bench.list_ids(failing(NewestFirst)).await, ["c", "a", "b"]);
    run_each(bench, &["a"], complete).await;
    assert_eq!(bench.list_ids(failing(OldestFirst)).await, ["b", "c"]);
    bench.changed("b", Event::Reschedule { delay: KEPT }).await;
    assert_eq!(bench.list_ids(failing(OldestFirst)).await, ["b", "c"], "it failed when it did");
}

async fn running_jobs_are_listed_by_when_they_were_claimed(bench: &Bench) {
    for (text, secs) in [("a", 50), ("b", 10), ("c", 30)] {
        bench.put(text).await;
        bench.claim_for(Span::from_secs(secs)).await;
        bench.advance(MILLI);
    }
    let running = along(bench, Walk::State(State::Processing, NewestFirst));
    assert_eq!(bench.list_ids(running.clone()).await, ["c", "b", "a"]);
    bench.advance(Span::from_secs(20));
    assert_eq!(bench.list_ids(running.clone()).await, ["c", "b", "a"], "lapsed or not");
    bench.rescue().await;
    let again = bench.claim_one().await;
    assert_eq!((again.record.meta.id.as_str(), again.record.meta.claimed_at), ("b", Some(bench.now())));
    assert_eq!(bench.list_ids(running).await, ["b", "c", "a"], "the last claim counts");
}

/// The order is by priority, time and life, across pages.
async fn due_jobs_are_listed_in_the_order_of_claims(bench: &Bench) {
    for n in 0..12_usize {
        let priority = [5, -5, 0, i16::MIN, i16::MAX][n % 5];
        let delay = Span::from_millis([7, 6, 5][n % 3]);
        bench.put_job(job(nth(n).as_str()).with_priority(priority).with_delay(delay)).await;
    }
    bench.put_job(job("later").with_priority(-9).with_delay(KEPT)).await;
    bench.put_and_claim("held").await;
    bench.advance(RETRY);
    let listed = bench.list_ids(along(bench, Walk::Due)).await;
    assert_eq!(listed.len(), 12);
    assert_eq!(listed, bench.claim_ids(100).await);
    assert_eq!(bench.list_ids(along(bench, Walk::Due)).await, [""; 0]);
}

async fn scheduled_jobs_are_listed_by_time(bench: &Bench) {
    for (text, ms, priority) in [("c", 30, -9), ("a", 10, 9), ("d", 40, 0), ("b", 10, -9)] {
        bench.put_job(job(text).with_delay(Span::from_millis(ms)).with_priority(priority)).await;
    }
    bench.put("due").await;
    let scheduled = along(bench, Walk::Scheduled);
    assert_eq!(bench.list_ids(scheduled.clone()).await, ["a", "b", "c", "d"]);
    bench.changed("d", Event::Promote).await;
    bench.changed("a", Event::Reschedule { delay: KEPT }).await;
    assert_eq!(bench.list_ids(scheduled).await, ["b", "c", "a"]);
}

/// The case looks before and after a claim moves the job.
async fn a_job_whose_time_has_come_is_due_and_scheduled_no_more(bench: &Bench) {
    bench.put_job(job("a").with_delay(RETRY)).await;
    bench.put_job(job("b").with_delay(KEPT)).await;
    bench.put_job(job("c").with_priority(1)).await;
    let lists = async || {
        (bench.list_ids(along(bench, Walk::Due)).await, bench.list_ids(along(bench, Walk::Scheduled)).await)
    };
    assert_eq!(lists().await, (vec!["c".to_owned()], vec!["a".to_owned(), "b".to_owned()]));
    bench.advance(RETRY);
    let expected = (vec!["a".to_owned(), "c".to_owned()], vec!["b".to_owned()]);
    assert_eq!(lists().await, expected);
    bench.claim(0).await;
    assert_eq!(lists().await, expected);
}

/// A time alone is not a position.
async fn many_that_came_into_a_state_at_once_are_listed_once(bench: &Bench) {
    bench.put_many(20).await;
    let held = bench.claim(20).await;
    let running = bench.list_ids(along(bench, Walk::State(State::Processing, OldestFirst))).await;
    let expected: Vec<_> = (0..20).map(|n| nth(n).to_string()).collect();
    assert_eq!(running, expected);
    bench
        .apply_all(held.iter().map(|job| decided(&job.record.meta, fail_finally(job.token))).collect())
        .await;
    for (end, expected) in [(OldestFirst, expected.clone()), (NewestFirst, reversed(expected))] {
        assert_eq!(bench.list_ids(along(bench, Walk::State(State::Failed, end))).await, expected);
    }
}
