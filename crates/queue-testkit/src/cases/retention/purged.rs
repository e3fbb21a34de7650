//! The millisecond from which a record counts as absent.

use crate::bench::prelude::*;
use crate::cases::cases;
use queue_core::{
    Applied, Changed, ClaimedJob, Detail, ListQuery, Span, State,
    lifecycle::{Cause, Event},
};

cases! { "retention":
    get_sees_a_record_until_its_purge [I13];
    list_sees_a_record_until_its_purge [I20];
    apply_finds_a_record_until_its_purge [I5];
    a_redrive_finds_a_record_until_its_purge [I6];
    a_clock_that_steps_back_does_not_bring_a_record_back [I24];
}

/// Completes a job, and moves the clock to the last millisecond of its record.
async fn at_the_last_millisecond(bench: &Bench, text: &str) -> ClaimedJob {
    let held = bench.put_and_claim(text).await;
    bench.fail_terminally(&held).await;
    bench.advance(Span::from_millis(KEPT.as_millis() - 1));
    held
}

/// Metadata and body are read.
async fn get_sees_a_record_until_its_purge(bench: &Bench) {
    at_the_last_millisecond(bench, "a").await;
    let get =
        async |what| bench.store().get(bench.queue(), &[id("a")], what).await.expect("it answers").value;
    for what in [Detail::Meta, Detail::Full] {
        assert!(get(what).await[0].is_some(), "it is kept for another millisecond");
    }
    bench.advance(MILLI);
    for what in [Detail::Meta, Detail::Full] {
        assert_eq!(get(what).await, [None]);
    }
}

/// The record need not have been pruned.
async fn list_sees_a_record_until_its_purge(bench: &Bench) {
    at_the_last_millisecond(bench, "a").await;
    let all = ListQuery::all(bench.queue().clone(), 10);
    let failed = ListQuery::in_states(bench.queue().clone(), vec![State::Failed], 10);
    assert_eq!(bench.list_ids(all.clone()).await, ["a"]);
    assert_eq!(bench.list_ids(failed.clone()).await, ["a"]);
    bench.advance(MILLI);
    assert_eq!(bench.list_ids(all).await, [""; 0]);
    assert_eq!(bench.list_ids(failed).await, [""; 0]);
}

/// A replay is answered as done, then as missing.
async fn apply_finds_a_record_until_its_purge(bench: &Bench) {
    let held = at_the_last_millisecond(bench, "a").await;
    let sent = decided(&held.record.meta, fail_because(held.token, Cause::Terminal));
    assert_done!([bench.apply(sent.clone()).await]);
    bench.advance(MILLI);
    assert_eq!(bench.apply(sent).await, Applied::Missing);
}

/// The redrive is decided in time and sent too late.
async fn a_redrive_finds_a_record_until_its_purge(bench: &Bench) {
    at_the_last_millisecond(bench, "a").await;
    let redrive = decided(&bench.meta("a").await, Event::Redrive { content_type: None });
    bench.advance(MILLI);
    assert_eq!(bench.apply(redrive).await, Applied::Missing);
    assert_eq!(bench.change("a", Event::Redrive { content_type: None }).await, Changed::Missing);
    bench.assert_nothing_due().await;
}

/// A record that was once absent stays absent.
async fn a_clock_that_steps_back_does_not_bring_a_record_back(bench: &Bench) {
    at_the_last_millisecond(bench, "a").await;
    bench.advance(MILLI);
    assert_eq!(bench.find("a").await, None);
    bench.step_back(RETRY);
    assert_eq!(bench.find("a").await, None);
    bench.put("a").await;
}
