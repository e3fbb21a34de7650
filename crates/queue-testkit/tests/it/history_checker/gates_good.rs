//! Good histories about gates and end signals, among them some with answers that were lost.

use crate::history_checker::{
    family::{GATE, SUM, counted, ended, gated, member, raising, seen, signalling, suspend},
    tape::{Tape, at, change, enqueue, finish, leased, plain, queued, said, settle},
};
use queue_testkit::history::{
    Answer, Ask, Effect, Event, GateTerms, GateView, Op, Phase, RecordView, SignalView, Status,
};

fn waiting_for(needs: u64) -> Tape {
    let mut tape = Tape::new();
    tape.call(gated(GateTerms { needs, is_sealed: true, timeout_ms: None }), vec![queued(1)]);
    tape
}

/// The claim of the job with the gate, at revision 3.
fn claims(tape: &mut Tape, gate: GateView) {
    let opened = GateView { is_closed: false, ..gate };
    tape.claim(1, SUM, 1, RecordView { gate: Some(opened), ..leased(3, 1) });
}

#[test]
fn a_job_from_its_members_to_its_claim() {
    let mut tape = waiting_for(1);
    member(&mut tape, "a", 2, signalling());
    member(&mut tape, "b", 3, raising());
    tape.found(SUM, 1, counted(2, [0, 0, 0]));
    ended(&mut tape, "a", 2, Status::Completed);
    tape.found(SUM, 1, counted(2, [1, 0, 0]));
    ended(&mut tape, "b", 3, Status::Failed);
    claims(&mut tape, GateView { needs: 2, signals: 2, tally: [1, 1, 0], ..GATE });
    let completed = Event { result: Some(77), ..settle(Op::Complete, SUM, 1, 1, finish(Status::Completed)) };
    tape.done(completed, at(4, 1, Status::Completed));
    tape.assert_good();
}

#[test]
fn an_end_of_unknown_outcome_is_counted_or_not() {
    for tally in [[0, 0, 0], [1, 0, 0]] {
        let mut tape = waiting_for(2);
        member(&mut tape, "m", 2, signalling());
        tape.claim(1, "m", 2, leased(2, 1));
        let asked = tape.begin(vec![settle(Op::Complete, "m", 2, 1, finish(Status::Completed))]);
        tape.end_as(Phase::Info, asked);
        tape.found(SUM, 1, counted(2, tally));
        tape.assert_good();
    }
}

#[test]
fn an_end_that_overlaps_the_read_is_counted_or_not() {
    for tally in [[0, 0, 0], [1, 0, 0]] {
        let mut tape = waiting_for(2);
        member(&mut tape, "m", 2, signalling());
        tape.claim(1, "m", 2, leased(2, 1));
        let asked = settle(Op::Complete, "m", 2, 1, finish(Status::Completed));
        let asked = tape.begin(vec![Event { result: Some(77), ..asked }]);
        tape.found(SUM, 1, counted(2, tally));
        tape.end(asked, vec![Event { seen: Some(at(3, 1, Status::Completed)), ..said(Answer::Done) }]);
        tape.assert_good();
    }
}

#[test]
fn a_member_whose_enqueue_has_an_unknown_outcome_raises_or_not() {
    for needs in [1, 2] {
        let mut tape = waiting_for(1);
        let asked = enqueue("m");
        let asked = Event { ask: Ask { signals: vec![raising()], ..asked.ask }, ..asked };
        let asked = tape.begin(vec![asked]);
        tape.end_as(Phase::Info, asked);
        if needs == 2 {
            let owed = vec![SignalView { life: Some(1), ..raising() }];
            let shown = RecordView { signals: Some(owed), with_body: true, ..at(1, 0, Status::Queued) };
            tape.found("m", 2, shown);
        }
        tape.found(SUM, 1, counted(needs, [0, 0, 0]));
        tape.assert_good();
    }
}

#[test]
fn a_signal_to_a_job_that_has_ended_is_dropped() {
    let mut tape = waiting_for(1);
    member(&mut tape, "m", 2, signalling());
    let cancelled = RecordView { revision: 2, status: Status::Cancelled, ..counted(1, [0; 3]) };
    tape.done(change(Op::Cancel, SUM, 1, 1, finish(Status::Cancelled)), cancelled.clone());
    ended(&mut tape, "m", 2, Status::Completed);
    tape.found(SUM, 1, cancelled);
    tape.assert_good();
}

#[test]
fn a_member_that_ends_again_after_a_redrive_counts_once() {
    let mut tape = waiting_for(2);
    member(&mut tape, "m", 2, signalling());
    ended(&mut tape, "m", 2, Status::Failed);
    tape.done(change(Op::Redrive, "m", 2, 3, Effect::Requeue), at(4, 1, Status::Queued));
    tape.claim(9, "m", 2, leased(5, 2));
    let completed = Event { result: Some(77), ..settle(Op::Complete, "m", 2, 9, finish(Status::Completed)) };
    tape.done(completed, at(6, 2, Status::Completed));
    tape.found(SUM, 1, counted(2, [0, 1, 0]));
    tape.assert_good();
}

#[test]
fn a_promote_a_time_out_and_an_urgent_signal_each_open_a_gate() {
    let lacking = GateView { needs: 5, ..GATE };
    let mut promoted = waiting_for(5);
    promoted.done(change(Op::Promote, SUM, 1, 1, Effect::Requeue), at(2, 0, Status::Queued));
    claims(&mut promoted, lacking);
    promoted.assert_good();
    let mut timed_out = Tape::new();
    let terms = GateTerms { needs: 5, is_sealed: true, timeout_ms: Some(50) };
    timed_out.call(gated(terms), vec![queued(1)]);
    timed_out.now += 50;
    claims(&mut timed_out, lacking);
    timed_out.assert_good();
    let mut woken = waiting_for(5);
    member(&mut woken, "m", 2, SignalView { urgent: true, ..signalling() });
    ended(&mut woken, "m", 2, Status::Failed);
    claims(&mut woken, GateView { signals: 1, tally: [0, 1, 0], ..lacking });
    woken.assert_good();
}

#[test]
fn a_suspended_job_waits_for_a_child_that_raises_it() {
    let mut tape = Tape::new();
    tape.enqueue(SUM, 1);
    tape.claim(1, SUM, 1, leased(2, 1));
    let child = enqueue("child");
    let ask = Ask { signals: vec![raising()], parent: Some(1), ..child.ask };
    let child = Event { op: Op::Then, token: Some(1), digest: Some(10), ask, ..child };
    let closed = GateView { needs: 2, ..GATE };
    let asked = tape.begin(vec![suspend(1, 1), child]);
    let answer = RecordView { revision: 3, epoch: 1, ..seen(closed) };
    tape.end(asked, vec![Event { seen: Some(answer), ..said(Answer::Done) }]);
    tape.mark(plain(Op::Drain));
    let shown = RecordView { revision: 3, epoch: 1, ..seen(closed) };
    tape.found(SUM, 1, shown);
    tape.assert_good();
}

#[test]
fn an_orphan_of_a_job_that_has_ended_or_of_a_complete_gate() {
    let orphan = |tape: &mut Tape| {
        let asked = enqueue("late");
        let asked = Event { ask: Ask { signals: vec![raising()], ..asked.ask }, ..asked };
        tape.call(asked, vec![said(Answer::Orphaned)]);
        tape.absent("late");
    };
    let mut tape = waiting_for(1);
    tape.done(change(Op::Cancel, SUM, 1, 1, finish(Status::Cancelled)), at(2, 0, Status::Cancelled));
    orphan(&mut tape);
    tape.assert_good();
    let mut tape = waiting_for(1);
    member(&mut tape, "m", 2, signalling());
    ended(&mut tape, "m", 2, Status::Completed);
    orphan(&mut tape);
    tape.assert_good();
}

#[test]
fn an_orphan_of_a_gate_that_seemed_complete_before_a_raise_that_was_under_way() {
    let mut tape = waiting_for(1);
    member(&mut tape, "m", 2, signalling());
    let joins = |id: &str| {
        let asked = enqueue(id);
        Event { ask: Ask { signals: vec![raising()], ..asked.ask }, ..asked }
    };
    let slow = tape.begin(vec![joins("slow")]);
    ended(&mut tape, "m", 2, Status::Completed);
    tape.call(joins("late"), vec![said(Answer::Orphaned)]);
    tape.end(slow, vec![queued(3)]);
    tape.found(SUM, 1, counted(2, [1, 0, 0]));
    tape.assert_good();
}

#[test]
fn a_group_of_unknown_outcome_may_lack_its_orphan() {
    let mut tape = Tape::new();
    let orphan = enqueue("orphan");
    let orphan = Event { ask: Ask { signals: vec![raising()], ..orphan.ask }, ..orphan };
    let asked = tape.begin(vec![enqueue("a"), orphan]);
    tape.end_as(Phase::Info, asked);
    tape.found("a", 1, at(1, 0, Status::Queued));
    tape.absent("orphan");
    tape.assert_good();
}

#[test]
fn a_gate_that_lacks_signals_stays_closed_after_the_drain() {
    let mut tape = waiting_for(2);
    member(&mut tape, "m", 2, signalling());
    ended(&mut tape, "m", 2, Status::Cancelled);
    tape.mark(plain(Op::Drain));
    tape.found(SUM, 1, counted(2, [0, 0, 1]));
    tape.assert_good();
}

/// A store that notes signals beside the gate seals in one step and opens in the next.
#[test]
fn a_seal_may_be_seen_before_it_opens_its_gate() {
    let mut tape = Tape::new();
    tape.call(gated(GateTerms::default()), vec![queued(1)]);
    let seal = tape.begin(vec![change(Op::Seal, SUM, 1, 1, Effect::Touch)]);
    tape.found(SUM, 1, RecordView { revision: 2, ..counted(0, [0; 3]) });
    let opened = RecordView { revision: 3, ..seen(GateView { is_closed: false, ..GATE }) };
    tape.end(seal, vec![Event { seen: Some(opened), ..said(Answer::Done) }]);
    tape.assert_good();
}
