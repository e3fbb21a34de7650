//! Changing a waiting job in place: its payload, its priority, its time and its retention.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{
    Applied, Changed, ClaimRequest, JobMeta, JobRecord, ListQuery, OnFailed, Retention, RetentionPolicy,
    Span, State, Walk,
    lifecycle::{Amendment, Event, Rejected},
};

cases! { "amend":
    every_part_can_be_changed_at_once_and_nothing_else_does [I2 I7];
    what_is_not_given_stays [I2];
    the_next_claim_brings_the_new_payload [I1 I13];
    a_payload_may_become_empty_and_long_and_of_another_type [I17];
    a_claim_has_room_for_the_new_length [I17];
    claims_follow_the_new_priority [I12];
    a_scheduled_job_comes_due_at_its_new_priority [I11 I12];
    a_delay_counts_from_the_change [I11 I15];
    a_new_retention_holds_when_the_job_ends [I13];
    a_failing_job_keeps_its_charges_and_its_error [I7];
    a_running_or_finished_job_cannot_be_amended [I6];
    amending_nothing_is_missing [I2];
    an_amendment_that_changes_nothing_writes_nothing [I4];
    one_that_a_claim_overtook_is_stale [I3];
    of_two_that_saw_the_same_record_one_is_stale [I4];
    two_of_one_call_are_applied_one_after_the_other_and_headers_stay [I2 I4];
    one_sent_again_is_stale_and_changes_nothing [I4];
    a_payload_over_the_limit_is_refused [I17];
    a_redriven_job_has_its_new_values [I6];
    it_is_as_it_was_after_a_reopen [I21] (Reopen);
}

fn amend(amendment: Amendment) -> Event {
    Event::Amend(amendment)
}

fn with_payload(text: &str) -> Event {
    amend(Amendment { payload: Some(text_payload(text)), ..Amendment::default() })
}

fn with_priority(priority: i16) -> Event {
    amend(Amendment::of_priority(priority))
}

const SHORT_LIVED: RetentionPolicy =
    RetentionPolicy { completed: Retention::Keep(LEASE), failed: Retention::Keep(RETRY) };

/// All parts at once.
fn everything() -> Amendment {
    Amendment {
        payload: Some(text_payload("another input")),
        priority: Some(-5),
        delay: Some(RETRY),
        retention: Some(SHORT_LIVED),
    }
}

async fn every_part_can_be_changed_at_once_and_nothing_else_does(bench: &Bench) {
    let new = job("a").with_priority(3).with_retention(Retention::Forever).awaited();
    bench.put_job(new.with_on_failed(OnFailed::Replace).with_expires_in(KEPT)).await;
    let mut expected = bench.record("a").await;
    let meta = bench.changed("a", amend(everything())).await;
    expected.meta.revision += 1;
    expected.meta.priority = -5;
    expected.meta.run_at = bench.now() + RETRY;
    expected.meta.terms.retention = SHORT_LIVED;
    expected.body.as_mut().expect("it was read").payload = text_payload("another input");
    assert_eq!(bench.record("a").await, expected);
    assert_eq!(meta, expected.meta);
}

async fn what_is_not_given_stays(bench: &Bench) {
    bench.put_job(job("a").with_priority(3).with_delay(KEPT)).await;
    for part in [
        Amendment { payload: Some(text_payload("x")), ..Amendment::default() },
        Amendment::of_priority(7),
        Amendment { delay: Some(STALL), ..Amendment::default() },
        Amendment { retention: Some(SHORT_LIVED), ..Amendment::default() },
    ] {
        let mut expected = bench.record("a").await;
        bench.changed("a", amend(part.clone())).await;
        expected.meta.revision += 1;
        expected.meta.priority = part.priority.unwrap_or(expected.meta.priority);
        expected.meta.run_at = part.delay.map_or(expected.meta.run_at, |delay| bench.now() + delay);
        expected.meta.terms.retention = part.retention.unwrap_or(expected.meta.terms.retention);
        if let (Some(payload), Some(body)) = (part.payload, &mut expected.body) {
            body.payload = payload;
        }
        assert_eq!(bench.record("a").await, expected);
    }
}

async fn the_next_claim_brings_the_new_payload(bench: &Bench) {
    bench.put_many(2).await;
    bench.changed(nth(1).as_str(), with_payload("new")).await;
    let claimed = bench.claim(10).await;
    let texts: Vec<_> = claimed.iter().map(|job| &job.record.body.as_ref().expect("whole").payload).collect();
    assert_eq!(*texts[1], text_payload("new"));
    assert_ne!(*texts[0], text_payload("new"));
    for held in &claimed {
        bench.complete(held).await;
    }
}

async fn a_payload_may_become_empty_and_long_and_of_another_type(bench: &Bench) {
    bench.put("a").await;
    let octets = queue_core::ContentType::from_static("application/octet-stream");
    let long = queue_core::Payload::new(vec![7_u8; 100_000], octets);
    for payload in [text_payload(""), long, text_payload("short")] {
        let change = Amendment { payload: Some(payload.clone()), ..Amendment::default() };
        bench.changed("a", amend(change)).await;
        assert_eq!(bench.record("a").await.body.expect("whole").payload, payload);
    }
}

/// The answer stops before a job that it has no room for, by the length that the job has now.
async fn a_claim_has_room_for_the_new_length(bench: &Bench) {
    let claimed = async || bench.send(ClaimRequest { bytes_max: 500, ..bench.request(10) }).await.jobs.len();
    let [short, long] = [1, 1000].map(|length| "x".repeat(length));
    bench.put_many(2).await;
    bench.changed(nth(1).as_str(), with_payload(&long)).await;
    assert_eq!([claimed().await, claimed().await], [1, 1], "the second has become too long");
    for text in ["a", "b"] {
        bench.put_job(job_with(text, text_payload(&long))).await;
        bench.changed(text, with_payload(&short)).await;
    }
    assert_eq!(claimed().await, 2, "both have become short");
}

async fn claims_follow_the_new_priority(bench: &Bench) {
    bench.put_many(4).await;
    bench.changed(nth(3).as_str(), with_priority(i16::MIN)).await;
    bench.changed(nth(0).as_str(), with_priority(i16::MAX)).await;
    bench.changed(nth(2).as_str(), with_priority(-1)).await;
    bench.changed(nth(2).as_str(), with_priority(1)).await;
    let listed = bench.list_ids(ListQuery::new(bench.queue().clone(), Walk::Due, 10)).await;
    let expected = [3, 1, 2, 0].map(|n| nth(n).to_string());
    assert_eq!(listed, expected);
    assert_eq!(bench.claim_ids(10).await, expected);
}

async fn a_scheduled_job_comes_due_at_its_new_priority(bench: &Bench) {
    for text in ["a", "b"] {
        bench.put_job(job(text).with_delay(RETRY)).await;
    }
    bench.changed("b", with_priority(-1)).await;
    assert_eq!(bench.counts().await.scheduled, 2);
    bench.assert_nothing_due().await;
    bench.advance(RETRY);
    bench.changed("a", with_priority(-2)).await;
    assert_eq!(bench.claim_ids(10).await, ["a", "b"]);
}

async fn a_delay_counts_from_the_change(bench: &Bench) {
    bench.put("a").await;
    bench.put_job(job("b").with_delay(KEPT)).await;
    bench.advance(STALL);
    let delay = Some(RETRY);
    for text in ["a", "b"] {
        let meta = bench.changed(text, amend(Amendment { delay, ..Amendment::default() })).await;
        assert_eq!(meta.run_at, bench.now() + RETRY);
    }
    bench.assert_nothing_due().await;
    assert!(bench.next_due().await.is_some_and(|at| bench.now() < at && at <= bench.now() + RETRY));
    bench.advance(RETRY);
    assert_eq!(bench.claim_ids(10).await, ["a", "b"]);
}

async fn a_new_retention_holds_when_the_job_ends(bench: &Bench) {
    for text in ["a", "b"] {
        bench.put_job(job(text).with_retention(Retention::Forever)).await;
        let retention = Some(SHORT_LIVED);
        bench.changed(text, amend(Amendment { retention, ..Amendment::default() })).await;
    }
    bench.complete(&bench.claim_one().await).await;
    bench.fail_terminally(&bench.claim_one().await).await;
    let kept = |text: &'static str, span: Span| async move {
        assert_eq!(bench.meta(text).await.purge_at, Some(bench.now() + span), "{text}");
    };
    kept("a", LEASE).await;
    kept("b", RETRY).await;
}

async fn a_failing_job_keeps_its_charges_and_its_error(bench: &Bench) {
    bench.fail(&bench.put_and_claim("a").await).await;
    let mut expected = bench.meta("a").await;
    bench.changed("a", amend(Amendment { delay: None, ..everything() })).await;
    expected.revision += 1;
    (expected.priority, expected.terms.retention) = (-5, SHORT_LIVED);
    assert_eq!(bench.meta("a").await, expected);
    assert_eq!((expected.state, expected.failures), (State::Failing, 1));
    bench.advance(RETRY);
    let held = bench.claim_one().await;
    assert_eq!(held.record.meta.attempt(), 2);
    assert_eq!(held.record.body.expect("whole").payload, text_payload("another input"));
}

async fn a_running_or_finished_job_cannot_be_amended(bench: &Bench) {
    bench.put_one_of_each().await;
    for (text, state) in [
        ("processing", State::Processing),
        ("completed", State::Completed),
        ("failed", State::Failed),
        ("cancelled", State::Cancelled),
    ] {
        let before = bench.record(text).await;
        let refused = Changed::Rejected(Rejected::NotAllowed(state));
        assert_eq!(bench.change(text, amend(everything())).await, refused);
        assert_eq!(bench.record(text).await, before);
    }
}

async fn amending_nothing_is_missing(bench: &Bench) {
    assert_eq!(bench.change("a", amend(everything())).await, Changed::Missing);
}

async fn an_amendment_that_changes_nothing_writes_nothing(bench: &Bench) {
    bench.put_job(job("a").with_priority(4)).await;
    let before = bench.record("a").await;
    for change in [Amendment::default(), Amendment::of_priority(4)] {
        let already = Changed::Rejected(Rejected::Already(State::Queued));
        assert_eq!(bench.change("a", amend(change)).await, already);
    }
    assert_eq!(bench.record("a").await, before);
}

/// The job runs with what its claim brought.
async fn one_that_a_claim_overtook_is_stale(bench: &Bench) {
    bench.put("a").await;
    let sent = decided(&bench.meta("a").await, amend(everything()));
    let held = bench.claim_one().await;
    assert_eq!(bench.apply(sent).await, Applied::Stale(held.record.meta.clone()));
    assert_eq!(bench.record("a").await, held.record);
    bench.complete(&held).await;
}

async fn of_two_that_saw_the_same_record_one_is_stale(bench: &Bench) {
    bench.put("a").await;
    let seen = bench.meta("a").await;
    let both = [with_payload("first"), with_payload("second")].map(|event| decided(&seen, event));
    let answers = bench.apply_all(both.to_vec()).await;
    assert_done!(answers[..1]);
    assert!(matches!(&answers[1], Applied::Stale(_)), "{answers:?}");
    assert_eq!(bench.record("a").await.body.expect("whole").payload, text_payload("first"));
}

/// The second was decided on what the first one makes of the job.
async fn two_of_one_call_are_applied_one_after_the_other_and_headers_stay(bench: &Bench) {
    let kept = headers([("tenant", "7"), ("trace", "")]);
    bench.put_job(job("a").with_headers(kept.clone())).await;
    let seen = bench.meta("a").await;
    let next = JobMeta { revision: seen.revision + 1, ..seen.clone() };
    let sent = vec![decided(&seen, with_payload("one")), decided(&next, with_payload("two"))];
    assert_done!(bench.apply_all(sent).await);
    let JobRecord { meta, body } = bench.claim_one().await.record;
    let found = body.map(|body| (meta.revision, body.payload, body.headers));
    assert_eq!(found, Some((seen.revision + 3, text_payload("two"), kept)));
}

async fn one_sent_again_is_stale_and_changes_nothing(bench: &Bench) {
    bench.put("a").await;
    let sent = decided(&bench.meta("a").await, amend(everything()));
    assert_done!([bench.apply(sent.clone()).await]);
    let once = bench.record("a").await;
    assert_eq!(bench.apply(sent).await, Applied::Stale(once.meta.clone()));
    assert_eq!(bench.record("a").await, once);
}

async fn a_payload_over_the_limit_is_refused(bench: &Bench) {
    bench.put("a").await;
    let before = bench.record("a").await;
    let most = bench.store().capabilities().limits.payload_bytes_max;
    let payload = queue_core::Payload::new(vec![0_u8; most + 1], text_payload("").content_type);
    let change = Amendment { payload: Some(payload), ..Amendment::default() };
    bench.apply_refused(vec![decided(&before.meta, amend(change))]).await;
    assert_eq!(bench.record("a").await, before);
}

async fn a_redriven_job_has_its_new_values(bench: &Bench) {
    bench.put("a").await;
    bench.changed("a", amend(Amendment { delay: None, ..everything() })).await;
    bench.cancel("a").await;
    let meta = bench.changed("a", Event::Redrive { content_type: None }).await;
    assert_eq!((meta.priority, meta.terms.retention), (-5, SHORT_LIVED));
    let held = bench.claim_one().await;
    assert_eq!(held.record.body.expect("whole").payload, text_payload("another input"));
}

async fn it_is_as_it_was_after_a_reopen(bench: &Bench) {
    bench.put_many(3).await;
    bench.changed(nth(0).as_str(), with_priority(9)).await;
    bench.changed(nth(1).as_str(), amend(Amendment { delay: None, ..everything() })).await;
    bench.changed(nth(2).as_str(), with_payload("")).await;
    let before = super::reopen::all_records(bench).await;
    bench.reopen().await;
    assert_eq!(super::reopen::all_records(bench).await, before);
    assert_eq!(bench.claim_ids(10).await, [1, 2, 0].map(|n| nth(n).to_string()));
}
