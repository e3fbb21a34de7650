//! Bad histories about schedule, order and time.

use crate::history_checker::tape::{Tape, at, change, claim, claimed, enqueue, leased, queued, said};
use queue_testkit::{
    Invariant::{I11, I12, I24},
    history::{Answer, Ask, Effect, Event, Op, RecordView, Status},
};

fn delayed(id: &str, delay_ms: i64) -> Event {
    let event = enqueue(id);
    Event { ask: Ask { delay_ms: Some(delay_ms), ..event.ask }, ..event }
}

fn with_priority(id: &str, priority: i16) -> Event {
    let event = enqueue(id);
    Event { ask: Ask { priority: Some(priority), ..event.ask }, ..event }
}

#[test]
fn i11_a_claim_before_the_time_that_the_record_shows() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, RecordView { run_at: 1_001, ..leased(2, 1) });
    tape.assert_breaks(&[I11]);
}

#[test]
fn i11_a_claim_before_the_delay_of_the_enqueue_is_over() {
    let mut tape = Tape::new();
    tape.enqueue("z", 1);
    tape.call(delayed("a", 100), vec![queued(2)]);
    tape.now = 1_099;
    tape.claim(1, "z", 1, leased(2, 1));
    tape.claim(2, "a", 2, leased(2, 1));
    tape.assert_breaks(&[I11]);
}

#[test]
fn i11_a_retry_before_its_delay_is_over() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    let waiting = RecordView { run_at: 1_500, ..at(3, 1, Status::Queued) };
    tape.done(crate::history_checker::tape::settle(Op::Snooze, "a", 1, 1, Effect::Requeue), waiting);
    tape.now = 1_499;
    tape.claim(2, "a", 1, leased(4, 2));
    tape.assert_breaks(&[I11]);
}

#[test]
fn i12_a_batch_against_the_order() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.enqueue("b", 2);
    let two = Event { ask: Ask { limit: Some(2), ..claim(1).ask }, ..claim(1) };
    tape.call(two, vec![claimed("b", 2, leased(2, 1)), claimed("a", 1, leased(2, 1))]);
    tape.assert_breaks(&[I12]);
}

#[test]
fn i12_an_earlier_job_that_is_passed_over() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.enqueue("b", 2);
    tape.claim(1, "b", 2, leased(2, 1));
    tape.claim(2, "a", 1, leased(2, 1));
    tape.assert_breaks(&[I12]);
}

/// Stores with several writers skip a row that another call has locked at that moment.
#[test]
fn i12_unless_somebody_writes_it_at_that_moment() {
    for is_over in [false, true] {
        let mut tape = Tape::new();
        tape.enqueue("a", 1);
        tape.enqueue("b", 2);
        let begins_to_wait = tape.begin(vec![change(Op::Await, "a", 1, 1, Effect::Touch)]);
        let answer = vec![Event { seen: Some(at(2, 0, Status::Queued)), ..said(Answer::Done) }];
        if is_over {
            tape.end(begins_to_wait, answer);
            tape.claim(1, "b", 2, leased(2, 1));
        } else {
            tape.claim(1, "b", 2, leased(2, 1));
            tape.end(begins_to_wait, answer);
        }
        tape.assert_breaks(if is_over { &[I12] } else { &[] });
    }
}

#[test]
fn i12_a_more_urgent_job_that_is_passed_over() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.call(with_priority("b", -1), vec![queued(2)]);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.assert_breaks(&[I12]);
}

#[test]
fn i12_a_later_enqueue_with_a_lower_number() {
    let mut tape = Tape::new();
    tape.enqueue("a", 2);
    tape.enqueue("b", 1);
    tape.assert_breaks(&[I12]);
}

#[test]
fn i24_store_time_that_goes_back() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.now = 999;
    tape.found("a", 1, at(1, 0, Status::Queued));
    tape.assert_breaks(&[I24]);
}

/// The same changes in the order of time are accepted, so the time was the reason.
#[test]
fn a_promoted_job_may_be_claimed_before_its_first_time() {
    let mut tape = Tape::new();
    tape.absent("z");
    tape.call(delayed("a", 100), vec![queued(1)]);
    tape.done(change(Op::Promote, "a", 1, 1, Effect::Requeue), at(2, 0, Status::Queued));
    tape.claim(1, "a", 1, leased(3, 1));
    tape.assert_good();
}

#[test]
fn i24_a_write_that_another_process_finds_in_the_future() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.now = 999;
    tape.call(
        Event { process: 2, ..crate::history_checker::tape::read("b") },
        vec![crate::history_checker::tape::said(queue_testkit::history::Answer::Absent)],
    );
    tape.assert_breaks(&[I24]);
}

/// A store need not write in order to read, so the time that one handle learned from a read binds
/// no other handle.
#[test]
fn what_a_read_told_one_process_binds_no_other() {
    let mut tape = Tape::new();
    tape.absent("a");
    tape.now = 999;
    tape.call(
        Event { process: 2, ..crate::history_checker::tape::read("a") },
        vec![crate::history_checker::tape::said(queue_testkit::history::Answer::Absent)],
    );
    tape.assert_good();
}
