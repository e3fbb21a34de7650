//! Bad histories about the origin and the end of jobs, and about the record that an id leads to.

use crate::history_checker::tape::{
    Tape, at, change, claim, claimed, complete, enqueue, finish, found, leased, plain, queued, read, release,
    said,
};
use queue_testkit::{
    Invariant::{I1, I2, I6, I9, I10, I13, I18, I19, I20, I21},
    history::{Answer, Ask, Effect, Event, Op, Phase, RecordView, Status},
};

#[test]
fn i1_an_acknowledged_job_that_is_gone_for_no_reason() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.absent("a");
    tape.assert_breaks(&[I1]);
}

#[test]
fn i1_a_settle_that_finds_its_life_missing_for_no_reason() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.call(complete("a", 1, 1, 77), vec![said(Answer::Missing)]);
    tape.assert_breaks(&[I1]);
}

#[test]
fn i1_a_delete_that_was_decided_on_an_older_record() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.done(change(Op::Delete, "a", 1, 1, Effect::Remove), at(3, 1, Status::Processing));
    tape.assert_breaks(&[I1]);
}

#[test]
fn i2_a_claimed_job_that_nobody_enqueued() {
    let mut tape = Tape::new();
    tape.claim(1, "a", 1, leased(2, 1));
    tape.assert_breaks(&[I2]);
}

#[test]
fn i2_a_claimed_job_whose_enqueue_certainly_failed() {
    let mut tape = Tape::new();
    let asked = tape.begin(vec![enqueue("a")]);
    tape.end_as(Phase::Fail, asked);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.assert_breaks(&[I2]);
}

#[test]
fn i2_a_payload_that_is_not_the_one_enqueued() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.call(claim(1), vec![Event { digest: Some(8), ..claimed("a", 1, leased(2, 1)) }]);
    tape.assert_breaks(&[I2]);
}

#[test]
fn i6_a_completed_job_that_is_claimed_again() {
    let mut tape = Tape::new();
    tape.completed("a", 1);
    tape.claim(2, "a", 1, leased(4, 2));
    assert!(tape.broken().contains(&I6));
}

#[test]
fn i6_an_outcome_that_is_overwritten() {
    let mut tape = Tape::new();
    tape.completed("a", 1);
    tape.found("a", 1, at(4, 1, Status::Failed));
    tape.assert_breaks(&[I6]);
}

#[test]
fn i6_a_redrive_that_was_decided_on_an_older_record() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.done(change(Op::Cancel, "a", 1, 1, finish(Status::Cancelled)), at(2, 0, Status::Cancelled));
    tape.done(change(Op::Redrive, "a", 1, 2, Effect::Requeue), at(3, 0, Status::Queued));
    tape.claim(1, "a", 1, leased(4, 1));
    tape.done(change(Op::Redrive, "a", 1, 2, Effect::Requeue), at(5, 1, Status::Queued));
    tape.assert_breaks(&[I6]);
}

#[test]
fn i9_two_enqueues_of_one_id_that_are_both_accepted() {
    let mut tape = Tape::new();
    let first = tape.begin(vec![enqueue("a")]);
    let second = tape.begin(vec![enqueue("a")]);
    tape.end(first, vec![queued(1)]);
    tape.end(second, vec![queued(2)]);
    tape.assert_breaks(&[I9]);
}

#[test]
fn i9_a_life_that_goes_on_after_a_later_one_began() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.done(change(Op::Cancel, "a", 1, 1, finish(Status::Cancelled)), at(2, 0, Status::Cancelled));
    tape.enqueue("a", 2);
    tape.found("a", 1, at(2, 0, Status::Cancelled));
    tape.assert_breaks(&[I9]);
}

#[test]
fn i9_a_duplicate_of_nothing() {
    let mut tape = Tape::new();
    tape.call(enqueue("a"), vec![Event { seq: Some(5), ..said(Answer::Duplicate(Status::Queued)) }]);
    tape.assert_breaks(&[I9]);
}

#[test]
fn i10_a_cancelled_job_that_starts() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.done(change(Op::Cancel, "a", 1, 1, finish(Status::Cancelled)), at(2, 0, Status::Cancelled));
    tape.claim(1, "a", 1, leased(3, 1));
    tape.assert_breaks(&[I6, I10]);
}

#[test]
fn i10_a_cancel_that_was_decided_before_the_claim_and_applied_after_it() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.done(change(Op::Cancel, "a", 1, 1, finish(Status::Cancelled)), at(3, 1, Status::Cancelled));
    tape.assert_breaks(&[I10]);
}

#[test]
fn i10_a_cancelled_job_that_completes_and_leaves_nothing() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.found("a", 1, at(3, 1, Status::Cancelled));
    let remove = crate::history_checker::tape::settle(Op::Complete, "a", 1, 1, Effect::Remove);
    tape.done(remove, at(4, 1, Status::Cancelled));
    tape.assert_breaks(&[I6, I10]);
}

#[test]
fn i13_a_result_that_nobody_settled() {
    let mut tape = Tape::new();
    tape.completed("a", 1);
    let seen = RecordView { with_body: true, ..at(3, 1, Status::Completed) };
    tape.call(read("a"), vec![Event { digest: Some(9), result: Some(78), ..found(1, seen) }]);
    tape.assert_breaks(&[I13]);
}

#[test]
fn i13_a_completed_job_without_its_result() {
    let mut tape = Tape::new();
    tape.completed("a", 1);
    tape.found("a", 1, RecordView { with_body: true, ..at(3, 1, Status::Completed) });
    tape.assert_breaks(&[I13]);
}

#[test]
fn i13_a_completed_job_that_is_gone_before_its_time() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    let keep = Effect::Finish { status: Status::Completed, keep_ms: Some(500) };
    let seen = RecordView { purge_at: Some(1_500), ..at(3, 1, Status::Completed) };
    tape.done(crate::history_checker::tape::settle(Op::Complete, "a", 1, 1, keep), seen);
    tape.now = 1_499;
    tape.absent("a");
    tape.assert_breaks(&[I1, I13]);
}

fn in_tx(event: Event) -> Event {
    Event { ask: Ask { tx: Some(1), ..event.ask }, ..event }
}

#[test]
fn i18_a_job_whose_transaction_was_rolled_back() {
    let mut tape = Tape::new();
    tape.call(in_tx(enqueue("a")), vec![queued(1)]);
    tape.mark(in_tx(plain(Op::Rollback)));
    tape.found("a", 1, at(1, 0, Status::Queued));
    tape.assert_breaks(&[I18]);
}

#[test]
fn i18_a_job_that_is_seen_before_its_transaction_commits() {
    let mut tape = Tape::new();
    tape.call(in_tx(enqueue("a")), vec![queued(1)]);
    tape.found("a", 1, at(1, 0, Status::Queued));
    tape.mark(in_tx(plain(Op::Commit)));
    tape.assert_breaks(&[I18]);
}

#[test]
fn i18_a_committed_job_that_is_not_there() {
    let mut tape = Tape::new();
    tape.call(in_tx(enqueue("a")), vec![queued(1)]);
    tape.mark(in_tx(plain(Op::Commit)));
    tape.absent("a");
    tape.assert_breaks(&[I1, I18]);
}

#[test]
fn i18_a_completion_that_was_rolled_back_and_shows() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.done(in_tx(complete("a", 1, 1, 77)), at(3, 1, Status::Completed));
    tape.mark(in_tx(plain(Op::Rollback)));
    tape.found("a", 1, at(3, 1, Status::Completed));
    tape.assert_breaks(&[I18]);
}

#[test]
fn i19_half_a_group() {
    let mut tape = Tape::new();
    let asked = tape.begin(vec![enqueue("a"), enqueue("b")]);
    tape.end_as(Phase::Info, asked);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.absent("b");
    tape.assert_breaks(&[I19]);
}

#[test]
fn i19_an_answer_without_the_shape_of_its_question() {
    let mut tape = Tape::new();
    tape.call(enqueue("a"), vec![said(Answer::Malformed)]);
    tape.assert_breaks(&[I19]);
}

#[test]
fn i20_counts_that_do_not_add_up() {
    let mut tape = Tape::new();
    tape.completed("a", 1);
    tape.mark(plain(Op::Drain));
    tape.found("a", 1, at(3, 1, Status::Completed));
    tape.call(plain(Op::Count), vec![said(Answer::Counted([1, 0, 0, 1, 0, 0]))]);
    tape.assert_breaks(&[I20]);
}

/// A store may leave the record out of its counts, or count it until it is removed.
#[test]
fn i20_unless_the_record_was_overdue_for_removal_by_then() {
    let kept = RecordView { purge_at: Some(1_500), ..at(3, 1, Status::Completed) };
    for (now, broken) in [(1_499, &[I20][..]), (1_500, &[])] {
        let mut tape = Tape::new();
        tape.enqueue("a", 1);
        tape.claim(1, "a", 1, leased(2, 1));
        tape.done(complete("a", 1, 1, 77), kept.clone());
        tape.mark(plain(Op::Drain));
        tape.found("a", 1, kept.clone());
        tape.now = now;
        tape.call(plain(Op::Count), vec![said(Answer::Counted([0; 6]))]);
        tape.assert_breaks(broken);
        tape.call(plain(Op::Count), vec![said(Answer::Counted([0, 0, 0, 1, 0, 0]))]);
        tape.assert_breaks(broken);
    }
}

#[test]
fn i20_a_store_that_finds_fault_with_itself() {
    let mut tape = Tape::new();
    tape.call(plain(Op::Verify), vec![said(Answer::Findings(vec!["an index without its record".into()]))]);
    tape.assert_breaks(&[I20]);
}

#[test]
fn i20_a_record_that_goes_back_to_an_earlier_revision() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.done(release("a", 1, 1), at(3, 1, Status::Queued));
    tape.found("a", 1, leased(2, 1));
    tape.assert_breaks(&[I20]);
}

#[test]
fn i21_a_reopened_store_that_lost_a_write() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.done(release("a", 1, 1), at(3, 1, Status::Queued));
    tape.mark(plain(Op::Reopen));
    tape.found("a", 1, leased(2, 1));
    tape.assert_breaks(&[I21]);
}

#[test]
fn i21_a_reopened_store_that_lost_a_job() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.mark(plain(Op::Reopen));
    tape.absent("a");
    tape.assert_breaks(&[I1, I21]);
}
