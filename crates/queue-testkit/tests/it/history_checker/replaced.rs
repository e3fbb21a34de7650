//! Histories about lives that replace waiting ones, rescheduled jobs, and followers of a settle.

use crate::history_checker::tape::{
    Tape, at, change, claim, claimed, complete, enqueue, leased, nothing, queued, release, replacing, said,
};
use queue_testkit::{
    Invariant::{I5, I9, I11},
    history::{Answer, Ask, Effect, Event, Op, Status},
};

fn follower(id: &str, parent: u64, token: u64) -> Event {
    let asked = enqueue(id);
    let ask = Ask { group: None, parent: Some(parent), ..asked.ask };
    Event { op: Op::Then, token: Some(token), ask, ..asked }
}

#[test]
fn a_life_that_takes_the_place_of_a_waiting_one_breaks_nothing() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.call(replacing("a"), vec![queued(2)]);
    tape.call(change(Op::Promote, "a", 1, 1, Effect::Requeue), vec![said(Answer::Missing)]);
    tape.claim(1, "a", 2, leased(2, 1));
    tape.done(complete("a", 2, 1, 77), at(3, 1, Status::Completed));
    tape.assert_good();
}

#[test]
fn several_that_replace_each_other_in_one_call_break_nothing() {
    let mut tape = Tape::new();
    let asked = tape.begin(vec![replacing("a"), replacing("a")]);
    tape.end(asked, vec![queued(1), Event { item: 1, ..queued(2) }]);
    tape.claim(1, "a", 2, leased(2, 1));
    tape.call(claim(2), vec![nothing()]);
    tape.assert_good();
}

#[test]
fn a_job_that_was_given_back_may_be_replaced_and_its_holder_finds_it_missing() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.done(release("a", 1, 1), at(3, 1, Status::Queued));
    tape.call(replacing("a"), vec![queued(2)]);
    tape.call(release("a", 1, 1), vec![said(Answer::Missing)]);
    tape.assert_good();
}

#[test]
fn i9_a_life_that_takes_the_place_of_one_that_runs() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.call(replacing("a"), vec![queued(2)]);
    tape.assert_breaks(&[I9]);
}

#[test]
fn i9_a_life_that_goes_on_after_another_took_its_place() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.call(replacing("a"), vec![queued(2)]);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.assert_breaks(&[I9]);
}

#[test]
fn a_follower_may_have_taken_the_place_of_a_waiting_job() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.enqueue("b", 2);
    tape.call(claim(1), vec![claimed("a", 1, leased(2, 1))]);
    let then = follower("b", 1, 1);
    let then = Event { digest: Some(10), ask: Ask { replaces_waiting: Some(true), ..then.ask }, ..then };
    let asked = tape.begin(vec![complete("a", 1, 1, 77), then]);
    let done = Event { seen: Some(at(3, 1, Status::Completed)), ..said(Answer::Done) };
    tape.end(asked, vec![done]);
    tape.call(claim(2), vec![Event { digest: Some(10), ..claimed("b", 3, leased(2, 1)) }]);
    tape.assert_good();
}

/// A settle that is sent twice, and a follower that is claimed once and then again as `second`.
fn followed(second: u64) -> Tape {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    for _ in 0..2 {
        let asked = tape.begin(vec![complete("a", 1, 1, 77), follower("b", 1, 1)]);
        let done = Event { seen: Some(at(3, 1, Status::Completed)), ..said(Answer::Done) };
        tape.end(asked, vec![done]);
    }
    tape.claim(2, "b", 2, leased(2, 1));
    tape.done(release("b", 2, 2), at(3, 1, Status::Queued));
    if second != 2 {
        tape.done(change(Op::Delete, "b", 2, 3, Effect::Remove), at(4, 1, Status::Queued));
    }
    let again = if second == 2 { leased(4, 2) } else { leased(2, 1) };
    tape.claim(3, "b", second, again);
    tape
}

#[test]
fn i5_what_follows_a_settle_that_was_sent_twice_begins_two_lives() {
    followed(2).assert_good();
    followed(3).assert_breaks(&[I5]);
}

#[test]
fn i11_a_delayed_job_that_is_claimed_early_though_nobody_put_it_to_another_time() {
    let late = |id: &str, delay_ms| {
        let asked = enqueue(id);
        Event { ask: Ask { delay_ms: Some(delay_ms), ..asked.ask }, ..asked }
    };
    let delayed = |tape: &mut Tape| {
        // Another write answers the store time before, so that the delay has a start.
        tape.call(late("z", 100_000), vec![queued(1)]);
        tape.call(late("a", 500), vec![queued(2)]);
    };
    let mut tape = Tape::new();
    delayed(&mut tape);
    tape.claim(1, "a", 2, leased(2, 1));
    tape.assert_breaks(&[I11]);
    let mut tape = Tape::new();
    delayed(&mut tape);
    tape.done(change(Op::Reschedule, "a", 2, 1, Effect::Requeue), at(2, 0, Status::Queued));
    tape.claim(1, "a", 2, leased(3, 1));
    tape.assert_good();
}

#[test]
fn a_job_that_may_have_been_replaced_is_not_stuck() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    let lost = tape.begin(vec![replacing("a")]);
    tape.end_as(queue_testkit::history::Phase::Info, lost);
    tape.call(claim(1), vec![nothing()]);
    tape.assert_good();
}
