//! Histories about partitions and their limits.

use crate::history_checker::tape::{
    Tape, at, change, claim, claimed, complete, enqueue, finish, leased, nothing, plain, queued, release,
    said, settle,
};
use queue_testkit::{
    Invariant::{I12, I25},
    history::{Answer, Ask, Effect, Event, LimitView, Op, Phase, RecordView, Status},
};

/// Sets the limit of each partition, or of the partition "p".
fn limits(partition: Option<&str>, running: impl Into<Option<u64>>) -> Event {
    let running = running.into();
    let view = LimitView { partition: partition.map(str::to_owned), is_set: running.is_some(), running };
    Event { ask: Ask { limits: vec![view], ..Ask::default() }, ..plain(Op::SetLimits) }
}

fn of_p(seen: RecordView) -> RecordView {
    RecordView { partition: Some("p".into()), ..seen }
}

/// Jobs of the partition "p", whose limit is `running`, as the lives 1 to `jobs`.
fn jobs(running: u64, jobs: u64) -> Tape {
    let mut tape = Tape::new();
    tape.mark(limits(None, running));
    for seq in 1..=jobs {
        let asked = enqueue(&id(seq));
        let ask = Ask { partition: Some("p".into()), ..asked.ask };
        tape.call(Event { ask, ..asked }, vec![queued(seq)]);
    }
    tape
}

fn id(seq: u64) -> String {
    format!("j{seq}")
}

fn lease(tape: &mut Tape, seq: u64) {
    tape.claim(seq, &id(seq), seq, of_p(leased(2, 1)));
}

fn done() -> Vec<Event> {
    let seen = of_p(at(3, 1, Status::Queued));
    vec![Event { seen: Some(seen), ..said(Answer::Done) }]
}

fn given(seq: u64) -> Event {
    claimed(&id(seq), seq, of_p(leased(2, 1)))
}

/// A claim of two jobs, and of so many limited ones.
fn claim_of_two(limited_max: Option<u64>) -> Event {
    let asked = claim(9);
    Event { ask: Ask { limit: Some(2), limited_max, ..asked.ask }, ..asked }
}

#[test]
fn i25_one_lease_more_than_the_limit() {
    for running in [0, 1, 2] {
        let mut tape = jobs(running, running + 1);
        (1..=running).for_each(|seq| lease(&mut tape, seq));
        tape.assert_good();
        lease(&mut tape, running + 1);
        tape.assert_breaks(&[I25]);
    }
}

#[test]
fn i25_two_jobs_of_one_claim() {
    let mut tape = jobs(1, 2);
    tape.call(claim_of_two(None), vec![given(1), given(2)]);
    tape.assert_breaks(&[I25]);
}

#[test]
fn i25_claims_at_the_same_time() {
    let mut tape = jobs(1, 2);
    let both = [tape.begin(vec![claim(1)]), tape.begin(vec![claim(2)])];
    for (seq, call) in (1..).zip(both) {
        tape.end(call, vec![given(seq)]);
    }
    tape.assert_breaks(&[I25]);
}

#[test]
fn i25_a_lapsed_lease_holds_its_slot() {
    let mut tape = jobs(1, 2);
    lease(&mut tape, 1);
    tape.now = 5_000;
    lease(&mut tape, 2);
    tape.assert_breaks(&[I25]);
}

#[test]
fn i25_a_slot_that_is_freed_by_a_stale_settle_or_an_extend() {
    let lost = vec![Event { seen: Some(of_p(leased(2, 1))), ..said(Answer::LeaseLost) }];
    let extended = vec![Event { seen: Some(of_p(leased(3, 1))), ..said(Answer::Done) }];
    let extend = settle(Op::Extend, "j1", 1, 1, Effect::Touch);
    let stale = change(Op::Cancel, "j1", 1, 1, finish(Status::Cancelled));
    let refused = vec![Event { seen: Some(of_p(leased(2, 1))), ..said(Answer::Stale) }];
    for (asked, answer) in [(release("j1", 1, 7), lost), (extend, extended), (stale, refused)] {
        let mut tape = jobs(1, 2);
        lease(&mut tape, 1);
        tape.call(asked, answer);
        lease(&mut tape, 2);
        tape.assert_breaks(&[I25]);
    }
}

#[test]
fn i25_a_limit_that_is_set_while_jobs_run_holds_for_the_next_one() {
    let mut tape = jobs(2, 3);
    lease(&mut tape, 1);
    lease(&mut tape, 2);
    tape.mark(limits(Some("p"), 1));
    tape.assert_good();
    tape.call(release("j1", 1, 1), done());
    tape.assert_good();
    lease(&mut tape, 3);
    tape.assert_breaks(&[I25]);
}

#[test]
fn i25_more_limited_jobs_than_a_claim_asks_for() {
    for limited_max in [0, 1, 2] {
        let mut tape = jobs(5, 2);
        tape.call(claim_of_two(Some(limited_max)), vec![given(1), given(2)]);
        tape.assert_breaks(if limited_max < 2 { &[I25] } else { &[] });
    }
}

#[test]
fn a_slot_is_free_as_soon_as_a_settle_may_have_been_applied() {
    for is_answered in [false, true] {
        let mut tape = jobs(1, 2);
        lease(&mut tape, 1);
        let settle = tape.begin(vec![complete("j1", 1, 1, 77)]);
        lease(&mut tape, 2);
        if is_answered {
            let seen = of_p(at(3, 1, Status::Completed));
            tape.end(settle, vec![Event { seen: Some(seen), ..said(Answer::Done) }]);
        } else {
            tape.end_as(Phase::Info, settle);
        }
        tape.assert_good();
    }
}

#[test]
fn a_rescue_or_a_removal_without_an_answer_may_have_freed_a_slot() {
    let lapse = change(Op::Lapse, "j1", 1, 2, Effect::Requeue);
    for asked in [lapse, change(Op::Delete, "j1", 1, 2, Effect::Remove)] {
        let mut tape = jobs(1, 2);
        lease(&mut tape, 1);
        tape.begin(vec![asked]);
        lease(&mut tape, 2);
        tape.assert_good();
    }
}

#[test]
fn a_refused_settle_frees_no_slot() {
    let mut tape = jobs(1, 2);
    lease(&mut tape, 1);
    let settle = tape.begin(vec![release("j1", 1, 1)]);
    tape.end_as(Phase::Fail, settle);
    lease(&mut tape, 2);
    tape.assert_breaks(&[I25]);
}

#[test]
fn a_limit_without_an_answer_may_be_in_force() {
    let raise = || limits(Some("p"), 2);
    for is_before in [false, true] {
        let mut tape = jobs(1, 2);
        lease(&mut tape, 1);
        if is_before {
            tape.begin(vec![raise()]);
            lease(&mut tape, 2);
        } else {
            let second = tape.begin(vec![claim(2)]);
            tape.begin(vec![raise()]);
            tape.end(second, vec![given(2)]);
        }
        tape.assert_good();
    }
}

/// A claim in turns may take several steps.
#[test]
fn a_job_that_comes_back_during_a_claim_may_be_behind_later_ones() {
    for is_meanwhile in [false, true] {
        let mut tape = jobs(5, 2);
        let delay = change(Op::Await, "j1", 1, 1, Effect::Touch);
        let waits = is_meanwhile.then(|| tape.begin(vec![delay]));
        let both = tape.begin(vec![claim_of_two(None)]);
        tape.end(both, vec![given(2), given(1)]);
        if let Some(waits) = waits {
            tape.end_as(Phase::Info, waits);
        }
        tape.assert_breaks(if is_meanwhile { &[] } else { &[I12] });
    }
}

#[test]
fn the_limit_of_a_partition_comes_before_that_of_each() {
    let mut tape = jobs(1, 3);
    tape.mark(limits(Some("p"), 2));
    lease(&mut tape, 1);
    lease(&mut tape, 2);
    tape.assert_good();
    tape.call(release("j1", 1, 1), done());
    tape.mark(limits(Some("p"), None));
    lease(&mut tape, 3);
    tape.assert_breaks(&[I25]);
}

#[test]
fn a_partition_without_a_certain_limit_has_none() {
    let mut tape = Tape::new();
    tape.begin(vec![limits(None, 1)]);
    for seq in [1, 2] {
        tape.enqueue(&id(seq), seq);
        lease(&mut tape, seq);
    }
    tape.assert_good();
}

/// Jobs of a full partition are passed over, and a claim finds nothing although they are due.
#[test]
fn a_full_partition_is_passed_over() {
    let mut tape = jobs(1, 2);
    tape.enqueue("free", 3);
    lease(&mut tape, 1);
    tape.claim(3, "free", 3, leased(2, 1));
    tape.call(claim(4), vec![nothing()]);
    tape.assert_good();
}
