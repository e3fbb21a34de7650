//! How long a record is kept, and how that is changed.

use super::purge_at;
use crate::bench::prelude::*;
use crate::cases::cases;
use queue_core::{
    Changed, ListQuery, Prune, Retention, RetentionPolicy, Span, State, Timestamp,
    lifecycle::{Cause, Event, Rejected},
};

cases! { "retention":
    each_outcome_follows_its_own_retention [I1 I20];
    a_settle_can_keep_the_record_for_another_time [I1];
    a_settle_that_is_not_the_end_keeps_the_retention [I1];
    a_removed_job_is_absent_everywhere [I5 I20];
    a_record_kept_for_no_time_is_absent_at_once [I20];
    retention_of_a_terminal_job_can_be_moved [I1];
    retention_can_be_lifted_and_set_again [I1];
    retention_of_nothing_left_removes_it [I20];
    retention_of_a_job_on_its_way_cannot_be_moved [I6];
    a_duplicate_does_not_prolong_a_record [I9];
    a_failed_job_that_keeps_nothing_is_gone_with_its_last_attempt [I8];
}

/// Ends one job by completion and one by failure under a retention.
async fn purge_times(
    bench: &Bench,
    round: usize,
    retention: RetentionPolicy,
) -> [Option<Option<Timestamp>>; 2] {
    let [done, given_up] = ["completed", "failed"].map(|outcome| format!("{outcome}-{round}"));
    bench.put_job(job(&done).with_retention(retention)).await;
    bench.complete(&bench.claim_one().await).await;
    bench.put_job(job(&given_up).with_retention(retention)).await;
    bench.fail_terminally(&bench.claim_one().await).await;
    [purge_at(bench, &done).await, purge_at(bench, &given_up).await]
}

/// The case tries every pair of retentions.
async fn each_outcome_follows_its_own_retention(bench: &Bench) {
    let choices = [Retention::Remove, Retention::Keep(RETRY), Retention::Keep(KEPT), Retention::Forever];
    let mut round = 0;
    for completed in choices {
        for failed in choices {
            let times = purge_times(bench, round, RetentionPolicy { completed, failed }).await;
            let expected = [completed, failed].map(|retention| match retention {
                Retention::Remove => None,
                Retention::Keep(span) => Some(Some(bench.now() + span)),
                Retention::Forever => Some(None),
            });
            assert_eq!(times, expected, "{completed:?} and {failed:?}");
            round += 1;
        }
    }
}

async fn complete_keeping(bench: &Bench, text: &str, retention: Retention) {
    let held = bench.put_and_claim(text).await;
    let event = Event::Complete {
        token: held.token,
        result: text_payload(RESULT),
        retention: Some(retention),
        then: Vec::new(),
    };
    bench.settled(&held, event).await;
}

async fn fail_keeping(bench: &Bench, text: &str, cause: Cause, retention: Retention) {
    let held = bench.put_and_claim(text).await;
    let retention = Some(retention);
    let event = Event::Fail {
        token: held.token,
        failure: failure(),
        cause,
        delay: None,
        retention,
        then: Vec::new(),
    };
    bench.settled(&held, event).await;
}

/// Both outcomes are made to stay longer and shorter.
async fn a_settle_can_keep_the_record_for_another_time(bench: &Bench) {
    complete_keeping(bench, "a", Retention::Remove).await;
    complete_keeping(bench, "b", Retention::Forever).await;
    complete_keeping(bench, "c", Retention::Keep(RETRY)).await;
    fail_keeping(bench, "d", Cause::Terminal, Retention::Remove).await;
    fail_keeping(bench, "e", Cause::Terminal, Retention::Forever).await;
    let soon = Some(Some(bench.now() + RETRY));
    for (text, expected) in [("a", None), ("b", Some(None)), ("c", soon), ("d", None), ("e", Some(None))] {
        assert_eq!(purge_at(bench, text).await, expected, "{text}");
    }
}

/// Such a retention concerned the end only.
async fn a_settle_that_is_not_the_end_keeps_the_retention(bench: &Bench) {
    fail_keeping(bench, "a", Cause::Retryable, Retention::Remove).await;
    let meta = bench.meta("a").await;
    assert_eq!(
        (meta.state, meta.purge_at, meta.terms.retention),
        (State::Failing, None, job("a").terms.retention)
    );
    bench.advance(RETRY);
    bench.fail_terminally(&bench.claim_one().await).await;
    assert_eq!(purge_at(bench, "a").await, Some(Some(bench.now() + KEPT)));
}

/// Record, result, counts and listing show no job.
async fn a_removed_job_is_absent_everywhere(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let event = Event::Complete {
        token: held.token,
        result: text_payload(RESULT),
        retention: Some(Retention::Remove),
        then: Vec::new(),
    };
    let last = bench.settled(&held, event).await;
    assert_eq!(last.id, id("a"));
    assert_eq!(bench.find("a").await, None);
    assert_eq!(bench.counts().await.total(), 0);
    assert_eq!(bench.list(ListQuery::all(bench.queue().clone(), 10)).await, []);
}

async fn a_record_kept_for_no_time_is_absent_at_once(bench: &Bench) {
    bench.put_job(job("a").with_retention(Retention::Keep(Span::ZERO))).await;
    bench.complete(&bench.claim_one().await).await;
    assert_eq!(bench.find("a").await, None);
    bench.put("a").await;
}

/// The new time counts from now, and is longer or shorter.
async fn retention_of_a_terminal_job_can_be_moved(bench: &Bench) {
    bench.complete(&bench.put_and_claim("a").await).await;
    for span in [Span::from_secs(7200), RETRY] {
        bench.advance(MILLI);
        let meta = bench.changed("a", Event::SetRetention(Retention::Keep(span))).await;
        assert_eq!(meta.purge_at, Some(bench.now() + span));
    }
    bench.advance(RETRY);
    assert_eq!(bench.find("a").await, None);
}

/// "Forever" can be changed too.
async fn retention_can_be_lifted_and_set_again(bench: &Bench) {
    bench.complete(&bench.put_and_claim("a").await).await;
    bench.changed("a", Event::SetRetention(Retention::Forever)).await;
    bench.advance(Span::from_secs(86_400));
    bench.prune(Prune::Expired, 10).await;
    assert_eq!(bench.result("a").await.as_deref(), Some(RESULT));
    bench.changed("a", Event::SetRetention(Retention::Keep(RETRY))).await;
    bench.advance(RETRY);
    assert_eq!(bench.find("a").await, None);
}

/// The record is deleted.
async fn retention_of_nothing_left_removes_it(bench: &Bench) {
    bench.complete(&bench.put_and_claim("a").await).await;
    bench.changed("a", Event::SetRetention(Retention::Remove)).await;
    assert_eq!(bench.find("a").await, None);
}

/// Otherwise the job would be purged before it ran.
async fn retention_of_a_job_on_its_way_cannot_be_moved(bench: &Bench) {
    bench.put("a").await;
    let refused = bench.change("a", Event::SetRetention(Retention::Remove)).await;
    assert_eq!(refused, Changed::Rejected(Rejected::NotAllowed(State::Queued)));
}

/// Otherwise a busy producer would keep it for ever.
async fn a_duplicate_does_not_prolong_a_record(bench: &Bench) {
    bench.complete(&bench.put_and_claim("a").await).await;
    let before = bench.meta("a").await;
    bench.advance(RETRY);
    assert!(!bench.enqueue(job("a").with_retention(Retention::Forever)).await.is_new());
    assert_eq!(bench.meta("a").await, before);
}

/// Only the answer to the settle still shows it.
async fn a_failed_job_that_keeps_nothing_is_gone_with_its_last_attempt(bench: &Bench) {
    bench.put_job(job("a").with_retention(Retention::Remove)).await;
    for _ in 0..3 {
        assert!(bench.find("a").await.is_some());
        bench.fail(&bench.claim_one().await).await;
        bench.advance(RETRY);
    }
    assert_eq!(bench.find("a").await, None);
}
