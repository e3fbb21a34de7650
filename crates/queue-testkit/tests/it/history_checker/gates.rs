//! Bad histories about gates and end signals.

use crate::history_checker::{
    family::{FAR, GATE, SUM, counted, ended, gated, member, raising, seen, signalling, suspend},
    tape::{Tape, at, change, claim, claimed, enqueue, finish, leased, plain, queued, said, settle},
};
use queue_testkit::{
    Invariant::{I9, I20, I28, I29},
    history::{Answer, Ask, Effect, Event, GateTerms, GateView, Op, RecordView, SignalView, Status},
};

/// A job behind a sealed gate that needs this many signals, as life 1.
fn waiting_for(needs: u64) -> Tape {
    let mut tape = Tape::new();
    tape.call(gated(GateTerms { needs, is_sealed: true, timeout_ms: None }), vec![queued(1)]);
    tape
}

#[test]
fn i28_a_gate_that_counts_what_no_member_sent() {
    let mut tape = waiting_for(2);
    tape.found(SUM, 1, counted(2, [1, 0, 0]));
    tape.assert_breaks(&[I28]);
}

#[test]
fn i28_a_gate_that_counts_a_member_that_still_runs() {
    let mut tape = waiting_for(2);
    member(&mut tape, "m", 2, signalling());
    tape.claim(1, "m", 2, leased(2, 1));
    tape.found(SUM, 1, counted(2, [1, 0, 0]));
    tape.assert_breaks(&[I28]);
}

#[test]
fn i28_an_end_that_is_not_counted() {
    for status in [Status::Completed, Status::Failed, Status::Cancelled] {
        let mut tape = waiting_for(2);
        member(&mut tape, "m", 2, signalling());
        ended(&mut tape, "m", 2, status);
        tape.found(SUM, 1, counted(2, [0, 0, 0]));
        tape.assert_breaks(&[I28]);
    }
}

#[test]
fn i28_a_delete_that_is_not_counted() {
    let mut tape = waiting_for(2);
    member(&mut tape, "m", 2, signalling());
    tape.done(change(Op::Delete, "m", 2, 1, Effect::Remove), at(2, 0, Status::Queued));
    tape.found(SUM, 1, counted(2, [0, 0, 0]));
    tape.assert_breaks(&[I28]);
}

#[test]
fn i28_an_end_that_is_counted_as_another_one() {
    let mut tape = waiting_for(2);
    member(&mut tape, "m", 2, signalling());
    ended(&mut tape, "m", 2, Status::Failed);
    tape.found(SUM, 1, counted(2, [1, 0, 0]));
    tape.assert_breaks(&[I28]);
}

#[test]
fn i28_a_tolerant_signal_that_is_counted_as_a_failure() {
    let mut tape = waiting_for(2);
    member(&mut tape, "m", 2, SignalView { tolerant: true, ..signalling() });
    ended(&mut tape, "m", 2, Status::Failed);
    tape.found(SUM, 1, counted(2, [0, 1, 0]));
    tape.assert_breaks(&[I28]);
}

#[test]
fn i28_a_member_that_counts_again_after_a_redrive() {
    let mut tape = waiting_for(3);
    member(&mut tape, "m", 2, signalling());
    ended(&mut tape, "m", 2, Status::Failed);
    tape.done(change(Op::Redrive, "m", 2, 3, Effect::Requeue), at(4, 1, Status::Queued));
    tape.claim(9, "m", 2, leased(5, 2));
    let completed = settle(Op::Complete, "m", 2, 9, finish(Status::Completed));
    tape.done(completed, at(6, 2, Status::Completed));
    tape.found(SUM, 1, counted(3, [1, 1, 0]));
    tape.assert_breaks(&[I28]);
}

#[test]
fn i28_outcomes_that_are_fewer_than_signals() {
    let mut tape = waiting_for(2);
    let gate = GateView { signals: 1, ..GATE };
    tape.found(SUM, 1, seen(GateView { needs: 2, ..gate }));
    assert!(tape.broken().contains(&I28));
}

#[test]
fn i28_a_duplicate_that_raises() {
    let mut tape = waiting_for(1);
    member(&mut tape, "m", 2, raising());
    let again = vec![Event { seq: Some(2), ..said(Answer::Duplicate(Status::Queued)) }];
    tape.call(Event { ask: Ask { signals: vec![raising()], ..enqueue("m").ask }, ..enqueue("m") }, again);
    tape.found(SUM, 1, counted(3, [0, 0, 0]));
    tape.assert_breaks(&[I28]);
}

#[test]
fn i28_a_raise_that_is_lost() {
    let mut tape = waiting_for(1);
    member(&mut tape, "m", 2, raising());
    tape.found(SUM, 1, counted(1, [0, 0, 0]));
    tape.assert_breaks(&[I28]);
}

#[test]
fn i28_an_orphan_of_a_gate_that_takes_raises() {
    let mut tape = waiting_for(1);
    let asked = enqueue("m");
    let asked = Event { ask: Ask { signals: vec![raising()], ..asked.ask }, ..asked };
    tape.call(asked, vec![said(Answer::Orphaned)]);
    tape.found(SUM, 1, counted(1, [0, 0, 0]));
    tape.assert_breaks(&[I28]);
}

#[test]
fn i28_a_job_that_is_stored_although_it_raised_nothing() {
    let mut tape = waiting_for(1);
    let asked = enqueue("m");
    tape.call(Event { ask: Ask { signals: vec![raising()], ..asked.ask }, ..asked }, vec![queued(2)]);
    let shown = RecordView { signals: Some(Vec::new()), with_body: true, ..leased(2, 1) };
    tape.call(claim(5), vec![claimed("m", 2, shown)]);
    tape.assert_breaks(&[I28]);
}

#[test]
fn i9_a_record_with_signals_that_makes_room() {
    let mut tape = waiting_for(2);
    member(&mut tape, "m", 2, signalling());
    tape.done(change(Op::Cancel, "m", 2, 1, finish(Status::Cancelled)), at(2, 0, Status::Cancelled));
    tape.enqueue("m", 3);
    tape.assert_breaks(&[I9]);
}

#[test]
fn i29_a_claim_of_a_job_whose_gate_lacks_a_signal() {
    for is_shown in [false, true] {
        let mut tape = waiting_for(1);
        if is_shown {
            tape.found(SUM, 1, counted(1, [0, 0, 0]));
        }
        // The job was opened by a step that no history explains, so it is due by now.
        let gate = GateView { needs: 1, is_closed: false, ..GATE };
        tape.claim(1, SUM, 1, RecordView { gate: Some(gate), ..leased(3, 1) });
        tape.assert_breaks(&[I29]);
    }
}

#[test]
fn i29_a_claim_before_the_time_out() {
    let mut tape = Tape::new();
    tape.enqueue("before", 7);
    tape.call(gated(GateTerms { needs: 1, is_sealed: true, timeout_ms: Some(50) }), vec![queued(8)]);
    tape.now += 49;
    let gate = GateView { needs: 1, is_closed: false, ..GATE };
    tape.claim(1, SUM, 8, RecordView { gate: Some(gate), ..leased(3, 1) });
    assert!(tape.broken().contains(&I29));
}

#[test]
fn i29_a_claim_after_a_suspend_that_nothing_ended() {
    let mut tape = Tape::new();
    tape.enqueue(SUM, 1);
    tape.claim(1, SUM, 1, leased(2, 1));
    let gate = GateView { needs: 1, ..GATE };
    tape.done(suspend(1, 1), RecordView { revision: 3, epoch: 1, ..seen(gate) });
    let opened = GateView { is_closed: false, ..gate };
    tape.claim(2, SUM, 1, RecordView { gate: Some(opened), ..leased(5, 2) });
    tape.assert_breaks(&[I29]);
}

#[test]
fn i29_a_job_that_was_given_back_and_waits_for_signals_again() {
    let mut tape = waiting_for(1);
    tape.done(change(Op::Promote, SUM, 1, 1, Effect::Requeue), at(2, 0, Status::Queued));
    tape.claim(1, SUM, 1, leased(3, 1));
    tape.done(
        settle(Op::Release, SUM, 1, 1, Effect::Requeue),
        RecordView { revision: 4, epoch: 1, ..counted(1, [0; 3]) },
    );
    tape.assert_breaks(&[I29]);
}

#[test]
fn i29_a_complete_gate_that_is_raised() {
    let mut tape = waiting_for(1);
    member(&mut tape, "m", 2, signalling());
    ended(&mut tape, "m", 2, Status::Completed);
    let opened = GateView { needs: 1, signals: 1, tally: [1, 0, 0], is_closed: false, ..GATE };
    tape.found(SUM, 1, RecordView { gate: Some(opened), ..at(2, 0, Status::Queued) });
    member(&mut tape, "late", 3, raising());
    tape.assert_breaks(&[I29]);
}

#[test]
fn i29_a_seal_that_is_lost() {
    let mut tape = Tape::new();
    tape.call(gated(GateTerms::default()), vec![queued(1)]);
    let unsealed = GateView { is_sealed: false, ..GATE };
    let sealed = RecordView { revision: 2, ..counted(0, [0; 3]) };
    tape.done(change(Op::Seal, SUM, 1, 1, Effect::Touch), sealed);
    tape.found(SUM, 1, RecordView { revision: 2, ..seen(unsealed) });
    tape.assert_breaks(&[I29]);
}

#[test]
fn i20_a_seal_that_overlooks_a_change() {
    let mut tape = Tape::new();
    tape.call(gated(GateTerms::default()), vec![queued(1)]);
    let seal = tape.begin(vec![change(Op::Seal, SUM, 1, 1, Effect::Touch)]);
    tape.found(SUM, 1, RecordView { revision: 3, ..counted(0, [0; 3]) });
    let opened = RecordView { revision: 4, ..seen(GateView { is_closed: false, ..GATE }) };
    tape.end(seal, vec![Event { seen: Some(opened), ..said(Answer::Done) }]);
    tape.assert_breaks(&[I20]);
}

#[test]
fn i29_a_job_that_sleeps_behind_a_complete_gate() {
    let mut tape = waiting_for(1);
    member(&mut tape, "m", 2, signalling());
    ended(&mut tape, "m", 2, Status::Completed);
    tape.mark(plain(Op::Drain));
    tape.found(SUM, 1, counted(1, [1, 0, 0]));
    tape.assert_breaks(&[I29]);
}

#[test]
fn i29_a_job_that_sleeps_on_after_an_urgent_signal() {
    let mut tape = waiting_for(3);
    member(&mut tape, "m", 2, SignalView { urgent: true, ..signalling() });
    ended(&mut tape, "m", 2, Status::Failed);
    tape.mark(plain(Op::Drain));
    tape.found(SUM, 1, counted(3, [0, 1, 0]));
    tape.assert_breaks(&[I29]);
}

#[test]
fn i28_a_signal_to_another_life_that_is_counted() {
    let mut tape = waiting_for(1);
    member(&mut tape, "m", 2, signalling());
    tape.done(
        change(Op::Cancel, SUM, 1, 1, finish(Status::Cancelled)),
        RecordView { run_at: FAR, ..at(2, 0, Status::Cancelled) },
    );
    tape.call(gated(GateTerms { needs: 2, is_sealed: true, timeout_ms: None }), vec![queued(3)]);
    ended(&mut tape, "m", 2, Status::Completed);
    tape.found(SUM, 3, counted(2, [1, 0, 0]));
    tape.assert_breaks(&[I28]);
}

#[test]
fn i28_a_count_for_a_member_whose_record_names_no_life() {
    let mut tape = waiting_for(2);
    let asked = enqueue("m");
    tape.call(Event { ask: Ask { signals: vec![signalling()], ..asked.ask }, ..asked }, vec![queued(2)]);
    let shown = RecordView { signals: Some(Vec::new()), with_body: true, ..leased(2, 1) };
    tape.call(claim(5), vec![claimed("m", 2, shown)]);
    let completed = settle(Op::Complete, "m", 2, 5, finish(Status::Completed));
    tape.done(completed, at(3, 1, Status::Completed));
    tape.found(SUM, 1, counted(2, [1, 0, 0]));
    tape.assert_breaks(&[I28]);
}
