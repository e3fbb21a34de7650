//! Bad histories about handlers, workers and waiters.

use crate::history_checker::tape::{
    TICK_NS, Tape, at, change, claim, claimed, enqueue, leased, of_worker, plain, queued, replacing, said,
};
use queue_testkit::{
    Invariant::{I13, I14, I15, I16, I17, I22, I23},
    history::{Answer, Ask, Effect, Event, Op, Phase, Status},
};

fn run(op: Op, seq: u64, token: u64) -> Event {
    Event { id: Some("a".into()), seq: Some(seq), token: Some(token), ..of_worker(op, "w") }
}

fn wait(seq: Option<u64>, ticks: u64) -> Event {
    let ask = Ask { deadline_ns: Some(ticks * TICK_NS), ..Ask::default() };
    Event { id: Some("a".into()), seq, ask, ..plain(Op::Wait) }
}

#[test]
fn i13_a_wait_that_tells_an_outcome_that_nobody_settled() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.call(wait(Some(1), 100), vec![said(Answer::Ended(Status::Failed))]);
    tape.assert_breaks(&[I13]);
}

#[test]
fn i13_a_wait_that_tells_another_result() {
    let mut tape = Tape::new();
    tape.completed("a", 1);
    let other = Event { result: Some(78), ..said(Answer::Ended(Status::Completed)) };
    tape.call(wait(Some(1), 100), vec![other]);
    tape.assert_breaks(&[I13]);
}

#[test]
fn i13_a_wait_that_calls_a_present_job_expired_or_unknown() {
    for answer in [Answer::Expired, Answer::Unknown] {
        let mut tape = Tape::new();
        tape.completed("a", 1);
        tape.call(wait(Some(1), 100), vec![said(answer)]);
        tape.assert_breaks(&[I13]);
    }
}

/// The answer of its enqueue was lost, and no call has read it: only the duplicate names it.
#[test]
fn a_wait_for_a_life_that_only_a_duplicate_named_expires_if_another_may_have_replaced_it() {
    let history = |replaces| {
        let mut tape = Tape::new();
        let lost = tape.begin(vec![enqueue("a")]);
        tape.end_as(Phase::Info, lost);
        let duplicate = Event { seq: Some(1), ..said(Answer::Duplicate(Status::Queued)) };
        tape.call(enqueue("a"), vec![duplicate]);
        if replaces {
            tape.call(replacing("a"), vec![queued(2)]);
        }
        tape.call(wait(Some(1), 100), vec![said(Answer::Expired)]);
        tape
    };
    history(true).assert_good();
    history(false).assert_breaks(&[I13]);
}

#[test]
fn i13_a_wait_for_a_life_that_nobody_named_expires() {
    let mut tape = Tape::new();
    tape.call(wait(Some(1), 100), vec![said(Answer::Expired)]);
    tape.assert_breaks(&[I13]);
}

/// A store gives back what it claimed for a caller that has left, and no history shows that.
#[test]
fn a_job_whose_cancel_was_requested_may_end_with_a_claim_that_was_not_answered() {
    for answer in [Answer::Ended(Status::Cancelled), Answer::Expired] {
        let history = |is_lost: bool, is_requested: bool| {
            let mut tape = Tape::new();
            tape.enqueue("a", 1);
            if is_lost {
                let lost = tape.begin(vec![claim(1)]);
                tape.end_as(Phase::Info, lost);
            } else {
                tape.claim(1, "a", 1, leased(2, 1));
            }
            if is_requested {
                tape.done(change(Op::RequestCancel, "a", 1, 2, Effect::Touch), leased(3, 1));
            }
            tape.call(wait(Some(1), 100), vec![said(answer.clone())]);
            tape
        };
        history(true, true).assert_good();
        history(true, false).assert_breaks(&[I13]);
        history(false, true).assert_breaks(&[I13]);
    }
}

#[test]
fn i14_a_wait_that_is_answered_late_or_never() {
    let mut late = Tape::new();
    late.enqueue("a", 1);
    let asked = late.begin(vec![wait(Some(1), 2)]);
    (0..3).for_each(|_| late.absent("b"));
    let mut never = Tape::new();
    never.enqueue("a", 1);
    never.begin(vec![wait(Some(1), 2)]);
    (0..3).for_each(|_| never.absent("b"));
    late.end(asked, vec![said(Answer::TimedOut)]);
    late.assert_breaks(&[I14]);
    never.assert_breaks(&[I14]);
}

#[test]
fn i14_a_wait_that_times_out_although_the_job_had_ended() {
    let mut tape = Tape::new();
    let asked = tape.begin(vec![wait(Some(1), 100)]);
    tape.completed("a", 1);
    tape.end(asked, vec![said(Answer::TimedOut)]);
    tape.assert_breaks(&[I14]);
}

#[test]
fn i15_a_job_that_is_left_after_the_drain() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.mark(plain(Op::Drain));
    tape.found("a", 1, leased(2, 1));
    tape.assert_breaks(&[I15]);
}

#[test]
fn i15_a_due_job_that_no_claim_finds() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.call(claim(1), vec![crate::history_checker::tape::nothing()]);
    tape.assert_breaks(&[I15]);
}

#[test]
fn i16_nobody_works_while_one_worker_stands_still() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    let stalled = tape.begin(vec![of_worker(Op::Stall, "other")]);
    tape.found("a", 1, at(1, 0, Status::Queued));
    tape.end(stalled, vec![said(Answer::Plain)]);
    tape.assert_breaks(&[I16]);
}

#[test]
fn i17_more_handlers_at_once_than_the_worker_may_run() {
    let mut tape = Tape::new();
    tape.rules.concurrency_max = Some(1);
    for (seq, id) in [(1, "a"), (2, "b")] {
        tape.enqueue(id, seq);
        tape.claim(seq, id, seq, leased(2, 1));
    }
    tape.mark(run(Op::ExecStart, 1, 1));
    tape.mark(Event { id: Some("b".into()), ..run(Op::ExecStart, 2, 2) });
    tape.assert_breaks(&[I17]);
}

#[test]
fn i22_a_worker_that_is_shut_down_and_holds_a_lease() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.mark(of_worker(Op::Shutdown, "w"));
    tape.assert_breaks(&[I22]);
}

#[test]
fn i23_a_job_that_starts_twice_under_one_lease() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    for _ in 0..2 {
        tape.mark(run(Op::ExecStart, 1, 1));
        tape.mark(run(Op::ExecEnd, 1, 1));
    }
    tape.assert_breaks(&[I23]);
}

#[test]
fn i23_a_job_that_is_completed_without_a_start() {
    let mut tape = Tape::new();
    tape.completed("a", 1);
    tape.enqueue("b", 2);
    tape.call(claim(2), vec![claimed("b", 2, leased(2, 1))]);
    tape.mark(Event { id: Some("b".into()), ..run(Op::ExecStart, 2, 2) });
    tape.assert_breaks(&[I23]);
}

#[test]
fn i23_a_job_that_starts_without_a_claim() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.found("a", 1, at(1, 0, Status::Queued));
    tape.mark(run(Op::ExecStart, 1, 1));
    tape.assert_breaks(&[I23]);
}
