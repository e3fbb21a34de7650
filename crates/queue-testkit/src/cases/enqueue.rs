//! What an enqueue stores and answers.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{
    Budget, Enqueued, JobMeta, Kind, NewJob, OnFailed, Retention, RetentionPolicy, Span, State,
};

cases! { "enqueue":
    a_new_job_is_queued_and_can_be_read [I1 I2];
    every_option_is_stored [I1];
    the_defaults_are_the_documented_ones [I1 I7];
    a_reply_carries_the_time_of_the_store [I24];
    there_is_an_answer_for_every_job_in_the_shape_of_the_groups [I19];
    nothing_to_enqueue_is_fine [I19];
    lives_are_numbered_in_the_order_of_the_request [I12];
    an_id_twice_in_one_group_is_a_duplicate_of_itself [I9];
    an_id_twice_in_one_call_is_a_duplicate_of_itself [I9];
    a_duplicate_does_not_fail_its_group [I9 I19];
    each_of_many_jobs_is_answered_where_some_ids_are_taken [I1 I9 I11 I12];
    a_delayed_job_is_queued_with_its_time_ahead [I11];
    the_longest_delay_is_kept_exactly [I11];
    a_zero_delay_is_due_at_once [I11];
    any_kind_is_kept_as_it_is [I2];
    a_thousand_jobs_of_one_call_are_all_there [I1];
    a_new_job_can_be_claimed_at_once [I1 I15];
    enqueueing_again_after_an_unknown_outcome_is_harmless [I9];
}

/// The record has the values with which the contract begins a life.
async fn a_new_job_is_queued_and_can_be_read(bench: &Bench) {
    let seq = bench.put("a").await;
    let record = bench.record("a").await;
    assert_eq!(record.meta, JobMeta::begin(bench.queue().clone(), &job("a"), seq, bench.now()));
    let body = record.body.expect("it was asked for");
    assert_eq!(body.payload, job("a").payload);
    assert_eq!((body.result, body.error_details), (None, None));
}

async fn every_option_is_stored(bench: &Bench) {
    let retention =
        RetentionPolicy { completed: Retention::Forever, failed: Retention::Keep(Span::from_millis(77)) };
    let new = NewJob::new(id("a"), Kind::from_static("resize"), text_payload("x"))
        .with_priority(-3)
        .with_delay(Span::from_millis(1234))
        .with_max_attempts(Budget::from_raw(7))
        .with_max_stalls(Budget::Unlimited)
        .with_retention(retention)
        .with_on_failed(OnFailed::Replace)
        .awaited();
    let seq = bench.put_job(new.clone()).await;
    let stored = bench.meta("a").await;
    assert_eq!(stored, JobMeta::begin(bench.queue().clone(), &new, seq, bench.now()));
    assert_eq!((stored.priority, stored.awaited, stored.terms.retention), (-3, true, retention));
}

/// The defaults are 25 attempts, three stalls, an hour for Completed and a week for Failed and
/// Cancelled records, and priority zero.
async fn the_defaults_are_the_documented_ones(bench: &Bench) {
    bench.put_job(NewJob::new(id("a"), Kind::from_static("email"), text_payload("a"))).await;
    let stored = bench.meta("a").await;
    assert_eq!((stored.terms.max_attempts.as_raw(), stored.terms.max_stalls.as_raw()), (25, 3));
    let [hour, week] = [1, 7 * 24].map(|hours| Retention::Keep(Span::from_secs(hours * 3600)));
    assert_eq!(stored.terms.retention, RetentionPolicy { completed: hour, failed: week });
    assert_eq!((stored.priority, stored.awaited, stored.epoch), (0, false, 0));
}

/// Clients compute times relative to it.
async fn a_reply_carries_the_time_of_the_store(bench: &Bench) {
    for _ in 0..3 {
        let reply = bench.store().enqueue(bench.queue(), vec![vec![job("a")]]).await.expect("it answers");
        assert_eq!(reply.now, bench.now());
        bench.advance(Span::from_millis(17));
    }
}

/// Callers find their answers by position.
async fn there_is_an_answer_for_every_job_in_the_shape_of_the_groups(bench: &Bench) {
    let groups = vec![vec![job("a")], vec![], vec![job("b"), job("c"), job("a")], vec![job("d")]];
    let answers = bench.enqueue_groups(groups).await;
    let new: Vec<Vec<bool>> =
        answers.iter().map(|group| group.iter().map(Enqueued::is_new).collect()).collect();
    assert_eq!(new, [vec![true], vec![], vec![true, true, false], vec![true]]);
}

/// An empty call succeeds, so callers need not check.
async fn nothing_to_enqueue_is_fine(bench: &Bench) {
    assert_eq!(bench.enqueue_groups(vec![]).await, Vec::<Vec<Enqueued>>::new());
    assert_eq!(bench.enqueue_groups(vec![vec![], vec![]]).await, vec![vec![], vec![]]);
}

/// Numbers grow across groups and across calls.
async fn lives_are_numbered_in_the_order_of_the_request(bench: &Bench) {
    let mut seqs = Vec::new();
    for call in 0..3 {
        let of = |n: usize| job(&format!("{call}-{n}"));
        let answers = bench.enqueue_groups(vec![vec![of(1), of(2)], vec![of(0)]]).await;
        seqs.extend(answers.iter().flatten().map(Enqueued::seq));
    }
    assert!(seqs.is_sorted_by(|a, b| a < b), "{seqs:?}");
}

/// The first job is stored, and the second names its life.
async fn an_id_twice_in_one_group_is_a_duplicate_of_itself(bench: &Bench) {
    let other = job_with("a", text_payload("other"));
    let answers = bench.enqueue_groups(vec![vec![job("a"), other]]).await.remove(0);
    let seq = life(&answers[0]);
    assert_eq!(answers, [Enqueued::Queued { seq }, Enqueued::Duplicate { seq, state: State::Queued }]);
    assert_eq!(bench.record("a").await.body.expect("asked for").payload, job("a").payload);
}

async fn an_id_twice_in_one_call_is_a_duplicate_of_itself(bench: &Bench) {
    let answers = bench.enqueue_groups(vec![vec![job("a")], vec![job("b"), job("a")]]).await;
    let seq = life(&answers[0][0]);
    assert_eq!(answers[1][1], Enqueued::Duplicate { seq, state: State::Queued });
}

/// A group fails as a whole on an error; a duplicate is an answer.
async fn a_duplicate_does_not_fail_its_group(bench: &Bench) {
    bench.put("taken").await;
    let answers = bench.enqueue_groups(vec![vec![job("a"), job("taken"), job("b")]]).await.remove(0);
    assert_eq!(answers.iter().map(Enqueued::is_new).collect::<Vec<_>>(), [true, false, true]);
    assert_eq!(bench.claim_ids(9).await, ["taken", "a", "b"]);
}

/// A store may write many jobs of a call together, and find out only then that an id is taken.
async fn each_of_many_jobs_is_answered_where_some_ids_are_taken(bench: &Bench) {
    let (delayed, taken) = (7, 25);
    bench.put(nth(taken).as_str()).await;
    let mut group = jobs(60);
    group[delayed] = job(nth(delayed).as_str()).with_delay(Span::from_secs(5));
    // The last is the same as one before it.
    group.push(job(nth(3).as_str()));
    let answers = bench.enqueue_groups(vec![group]).await.remove(0);
    let old: Vec<usize> = (0..answers.len()).filter(|n| !answers[*n].is_new()).collect();
    assert_eq!(old, [taken, 60]);
    assert_eq!(answers[60].seq(), answers[3].seq());
    let new = answers.iter().filter(|answer| answer.is_new());
    assert!(new.map(Enqueued::seq).is_sorted_by(|a, b| a < b));
    assert_eq!(bench.counts().await.of(State::Queued), 60);
    let others = (0..60).filter(|n| ![delayed, taken].contains(n));
    let due: Vec<String> = [taken].into_iter().chain(others).map(|n| nth(n).to_string()).collect();
    assert_eq!(bench.claim_ids(100).await, due);
    bench.advance(Span::from_secs(5));
    assert_eq!(bench.claim_ids(100).await, [nth(delayed).as_str()]);
}

/// Scheduled is not a state.
async fn a_delayed_job_is_queued_with_its_time_ahead(bench: &Bench) {
    bench.put_job(job("a").with_delay(Span::from_secs(5))).await;
    let stored = bench.meta("a").await;
    assert_eq!(stored.state, State::Queued);
    assert_eq!(stored.run_at, bench.now() + Span::from_secs(5));
    assert_eq!(stored.created_at, bench.now());
}

/// The longest delay is a hundred years.
async fn the_longest_delay_is_kept_exactly(bench: &Bench) {
    bench.put_job(job("a").with_delay(Span::MAX)).await;
    assert_eq!(bench.meta("a").await.run_at, bench.now() + Span::MAX);
    bench.assert_nothing_due().await;
}

async fn a_zero_delay_is_due_at_once(bench: &Bench) {
    bench.put_job(job("a").with_delay(Span::ZERO)).await;
    assert_eq!(bench.claim_ids(1).await, ["a"]);
}

/// A kind may be any text up to the greatest length.
async fn any_kind_is_kept_as_it_is(bench: &Bench) {
    for (n, text) in ["email", "a:b", "%s'\"", "\u{1F600}", &"k".repeat(255)].iter().enumerate() {
        let kind = Kind::new(text).expect("a valid kind");
        bench.put_job(NewJob::new(nth(n), kind.clone(), text_payload("x"))).await;
        assert_eq!(bench.claim_one().await.record.meta.kind, kind);
    }
}

async fn a_thousand_jobs_of_one_call_are_all_there(bench: &Bench) {
    bench.put_many(1000).await;
    assert_eq!(bench.counts().await.of(State::Queued), 1000);
    for n in [0, 499, 999] {
        assert_eq!(bench.state(nth(n).as_str()).await, Some(State::Queued));
    }
}

async fn a_new_job_can_be_claimed_at_once(bench: &Bench) {
    for text in ["a", "b", "c"] {
        bench.put_and_claim(text).await;
    }
}

/// The answer names the life of the first call.
async fn enqueueing_again_after_an_unknown_outcome_is_harmless(bench: &Bench) {
    let first = bench.enqueue_groups(vec![jobs(10)]).await;
    let again = bench.enqueue_groups(vec![jobs(10)]).await;
    let seqs = |answers: &[Vec<Enqueued>]| answers.iter().flatten().map(Enqueued::seq).collect::<Vec<_>>();
    assert_eq!(seqs(&first), seqs(&again));
    assert_eq!(bench.claim(100).await.len(), 10);
}
