//! Bad histories about leases, tokens, outcomes and budgets.

use crate::history_checker::tape::{
    Tape, at, change, claim, claimed, complete, finish, leased, release, said, settle,
};
use queue_testkit::{
    Invariant::{I3, I4, I5, I6, I7, I8, I17, I23},
    history::{Answer, Effect, Event, Op, RecordView, Status},
};

fn leased_with(revision: u64, epoch: u64, failures: u32, stalls: u32) -> RecordView {
    RecordView { failures, stalls, ..leased(revision, epoch) }
}

#[test]
fn i3_two_claims_of_one_lease() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    let (first, second) = (tape.begin(vec![claim(1)]), tape.begin(vec![claim(2)]));
    tape.end(first, vec![claimed("a", 1, leased(2, 1))]);
    tape.end(second, vec![claimed("a", 1, leased(2, 1))]);
    tape.assert_breaks(&[I3, I23]);
}

#[test]
fn i3_a_claim_while_a_lease_lives() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.claim(2, "a", 1, leased(3, 2));
    tape.assert_breaks(&[I3, I23]);
}

#[test]
fn i3_a_lease_that_is_ended_before_it_lapsed() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.now = 1_999;
    let expired = RecordView { stalls: 1, ..at(3, 1, Status::Failing) };
    tape.done(change(Op::Lapse, "a", 1, 2, Effect::Requeue), expired);
    tape.assert_breaks(&[I3]);
}

#[test]
fn i4_a_zombie_that_completes_after_a_newer_claim() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.now = 2_000;
    let expired = RecordView { stalls: 1, ..at(3, 1, Status::Failing) };
    tape.done(change(Op::Lapse, "a", 1, 2, Effect::Requeue), expired);
    tape.claim(2, "a", 1, leased_with(4, 2, 0, 1));
    tape.done(complete("a", 1, 1, 77), RecordView { stalls: 1, ..at(5, 2, Status::Completed) });
    tape.assert_breaks(&[I4]);
}

#[test]
fn i4_a_token_that_was_never_given_for_the_job() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.done(complete("a", 1, 9, 77), at(3, 1, Status::Completed));
    tape.assert_breaks(&[I4]);
}

#[test]
fn i4_a_heartbeat_that_revives_a_lapsed_lease() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.now = 2_000;
    tape.enqueue("b", 2);
    tape.done(
        settle(Op::Extend, "a", 1, 1, Effect::Touch),
        RecordView { expires_at: Some(3_000), ..leased(3, 1) },
    );
    tape.assert_breaks(&[I4]);
}

#[test]
fn i4_a_heartbeat_after_the_settle() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.done(release("a", 1, 1), at(3, 1, Status::Queued));
    tape.done(settle(Op::Extend, "a", 1, 1, Effect::Touch), at(4, 1, Status::Queued));
    tape.assert_breaks(&[I4]);
}

#[test]
fn i5_a_lease_that_is_settled_in_two_ways() {
    let mut tape = Tape::new();
    tape.completed("a", 1);
    tape.done(settle(Op::Fail, "a", 1, 1, finish(Status::Failed)), at(4, 1, Status::Failed));
    tape.assert_breaks(&[I5, I6]);
}

#[test]
fn i5_two_completions() {
    let mut tape = Tape::new();
    tape.completed("a", 1);
    tape.claim(2, "a", 1, leased(4, 2));
    tape.done(complete("a", 1, 2, 78), at(5, 2, Status::Completed));
    assert!(tape.broken().contains(&I5));
}

#[test]
fn i5_a_replay_that_is_told_that_the_lease_is_lost() {
    let mut tape = Tape::new();
    tape.completed("a", 1);
    let lost = Event { seen: Some(at(3, 1, Status::Completed)), ..said(Answer::LeaseLost) };
    tape.call(complete("a", 1, 1, 77), vec![lost]);
    tape.assert_breaks(&[I5]);
}

/// Fails the attempt of the token; the answer shows this record.
fn fail(tape: &mut Tape, token: u64, seen: RecordView) {
    tape.done(settle(Op::Fail, "a", 1, token, Effect::Requeue), seen);
}

#[test]
fn i7_more_failures_than_the_budget_has() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    let over = RecordView { failures: 4, ..at(3, 1, Status::Failed) };
    tape.done(settle(Op::Fail, "a", 1, 1, finish(Status::Failed)), over);
    tape.assert_breaks(&[I7]);
}

#[test]
fn i7_an_attempt_number_that_falls() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased_with(2, 1, 1, 0));
    tape.done(release("a", 1, 1), RecordView { failures: 1, ..at(3, 1, Status::Failing) });
    tape.claim(2, "a", 1, leased_with(4, 2, 0, 0));
    tape.assert_breaks(&[I7]);
}

#[test]
fn i7_a_release_that_is_charged() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.done(release("a", 1, 1), at(3, 1, Status::Queued));
    tape.claim(2, "a", 1, leased_with(4, 2, 1, 0));
    tape.assert_breaks(&[I7]);
}

#[test]
fn i7_a_failure_that_is_not_charged() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    fail(&mut tape, 1, at(3, 1, Status::Failing));
    tape.claim(2, "a", 1, leased(4, 2));
    tape.assert_breaks(&[I7]);
}

#[test]
fn i8_a_job_out_of_budget_that_waits_on() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased_with(2, 1, 2, 0));
    fail(&mut tape, 1, RecordView { failures: 3, ..at(3, 1, Status::Failing) });
    tape.assert_breaks(&[I8]);
}

#[test]
fn i8_a_failed_job_that_does_not_say_why() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    let mute = RecordView { reason: None, failures: 1, ..at(3, 1, Status::Failed) };
    tape.done(settle(Op::Fail, "a", 1, 1, finish(Status::Failed)), mute);
    tape.assert_breaks(&[I8]);
}

#[test]
fn i17_a_claim_that_gives_more_than_was_asked_for() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.enqueue("b", 2);
    tape.call(claim(1), vec![claimed("a", 1, leased(2, 1)), claimed("b", 2, leased(2, 1))]);
    tape.assert_breaks(&[I17]);
}
