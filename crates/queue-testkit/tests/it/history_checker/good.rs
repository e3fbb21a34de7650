//! Good histories: the checker accepts overlaps and unknown outcomes that can be explained.

use crate::history_checker::tape::{
    Tape, at, change, claim, claimed, complete, enqueue, finish, found, leased, nothing, of_worker, plain,
    queued, read, release, said, settle,
};
use queue_testkit::history::{Answer, Ask, Effect, Event, Op, Phase, PruneKind, RecordView, Status};

#[test]
fn a_job_from_enqueue_to_its_purge() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    let keep = Effect::Finish { status: Status::Completed, keep_ms: Some(500) };
    let done = Event { result: Some(77), ..settle(Op::Complete, "a", 1, 1, keep) };
    tape.done(done.clone(), RecordView { purge_at: Some(1_500), ..at(3, 1, Status::Completed) });
    tape.done(done, RecordView { purge_at: Some(1_500), ..at(3, 1, Status::Completed) });
    let shown = RecordView { with_body: true, purge_at: Some(1_500), ..at(3, 1, Status::Completed) };
    tape.call(read("a"), vec![Event { digest: Some(9), result: Some(77), ..found(1, shown) }]);
    tape.now = 1_500;
    tape.absent("a");
    tape.enqueue("a", 2);
    tape.assert_good();
}

#[test]
fn failures_lapses_and_releases_each_lead_to_one_more_start() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.done(release("a", 1, 1), at(3, 1, Status::Queued));
    tape.claim(2, "a", 1, leased(4, 2));
    let failed = |revision, epoch, status| RecordView { failures: 1, ..at(revision, epoch, status) };
    tape.done(settle(Op::Fail, "a", 1, 2, Effect::Requeue), failed(5, 2, Status::Failing));
    tape.claim(3, "a", 1, RecordView { failures: 1, ..leased(6, 3) });
    tape.now = 2_000;
    let lapsed = RecordView { stalls: 1, ..failed(7, 3, Status::Failing) };
    tape.done(change(Op::Lapse, "a", 1, 6, Effect::Requeue), lapsed);
    tape.claim(4, "a", 1, RecordView { stalls: 1, failures: 1, expires_at: Some(3_000), ..leased(8, 4) });
    tape.done(complete("a", 1, 4, 77), RecordView { stalls: 1, ..failed(9, 4, Status::Completed) });
    tape.call(complete("a", 1, 1, 77), vec![said(Answer::LeaseLost)]);
    tape.assert_good();
}

#[test]
fn an_enqueue_of_unknown_outcome_may_have_worked_or_not() {
    for worked in [true, false] {
        let mut tape = Tape::new();
        let asked = tape.begin(vec![enqueue("a"), enqueue("b")]);
        tape.end_as(Phase::Info, asked);
        if worked {
            tape.claim(1, "a", 1, leased(2, 1));
            tape.found("b", 2, at(1, 0, Status::Queued));
        } else {
            tape.absent("a");
            tape.absent("b");
        }
        tape.assert_good();
    }
}

#[test]
fn an_enqueue_of_unknown_outcome_may_work_late() {
    let mut tape = Tape::new();
    let asked = tape.begin(vec![enqueue("a")]);
    tape.end_as(Phase::Info, asked);
    tape.absent("a");
    tape.claim(1, "a", 1, leased(2, 1));
    tape.assert_good();
}

#[test]
fn a_settle_of_unknown_outcome_may_have_ended_the_lease() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    let asked = tape.begin(vec![release("a", 1, 1)]);
    tape.end_as(Phase::Info, asked);
    tape.claim(2, "a", 1, leased(4, 2));
    tape.assert_good();
}

#[test]
fn a_completion_of_unknown_outcome_may_show_its_result() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    let asked = tape.begin(vec![complete("a", 1, 1, 77)]);
    tape.end_as(Phase::Info, asked);
    let shown = RecordView { with_body: true, ..at(3, 1, Status::Completed) };
    tape.call(read("a"), vec![Event { digest: Some(9), result: Some(77), ..found(1, shown) }]);
    tape.assert_good();
}

#[test]
fn a_claim_of_unknown_outcome_may_hold_what_others_do_not_find() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    let asked = tape.begin(vec![claim(1)]);
    tape.end_as(Phase::Info, asked);
    tape.call(claim(2), vec![nothing()]);
    tape.done(complete("a", 1, 1, 77), at(3, 1, Status::Completed));
    tape.assert_good();
}

#[test]
fn a_removal_of_unknown_outcome_may_have_freed_the_id() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    let asked = tape.begin(vec![change(Op::Delete, "a", 1, 1, Effect::Remove)]);
    tape.end_as(Phase::Info, asked);
    tape.enqueue("a", 2);
    tape.assert_good();
}

#[test]
fn a_job_may_be_claimed_while_its_enqueue_is_still_being_answered() {
    let mut tape = Tape::new();
    let asked = tape.begin(vec![enqueue("a")]);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.done(complete("a", 1, 1, 77), at(3, 1, Status::Completed));
    tape.end(asked, vec![queued(1)]);
    tape.assert_good();
}

#[test]
fn overlapping_calls_may_have_taken_effect_in_either_order() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    let (reading, claiming) = (tape.begin(vec![read("a")]), tape.begin(vec![claim(1)]));
    tape.end(claiming, vec![claimed("a", 1, leased(2, 1))]);
    tape.end(reading, vec![found(1, at(1, 0, Status::Queued))]);
    let (first, second) = (tape.begin(vec![enqueue("b")]), tape.begin(vec![enqueue("c")]));
    tape.end(first, vec![queued(3)]);
    tape.end(second, vec![queued(2)]);
    tape.assert_good();
}

#[test]
fn overlapping_claims_may_pass_over_what_the_other_one_holds() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.enqueue("b", 2);
    let (first, second) = (tape.begin(vec![claim(1)]), tape.begin(vec![claim(2)]));
    tape.end(first, vec![claimed("b", 2, leased(2, 1))]);
    tape.end(second, vec![claimed("a", 1, leased(2, 1))]);
    tape.assert_good();
}

#[test]
fn a_redrive_opens_what_was_terminal_and_clears_the_budgets() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, RecordView { failures: 2, ..leased(2, 1) });
    let failed = RecordView { failures: 3, ..at(3, 1, Status::Failed) };
    tape.done(settle(Op::Fail, "a", 1, 1, finish(Status::Failed)), failed);
    tape.done(change(Op::Redrive, "a", 1, 3, Effect::Requeue), at(4, 1, Status::Queued));
    tape.claim(2, "a", 1, leased(5, 2));
    tape.assert_good();
}

#[test]
fn a_cancelled_id_is_free_again() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.done(change(Op::Cancel, "a", 1, 1, finish(Status::Cancelled)), at(2, 0, Status::Cancelled));
    tape.enqueue("a", 2);
    tape.claim(1, "a", 2, leased(2, 1));
    tape.assert_good();
}

#[test]
fn a_settle_sent_again_with_another_retention_is_answered_as_the_first() {
    let mut tape = Tape::new();
    tape.completed("a", 1);
    tape.done(settle(Op::Complete, "a", 1, 1, Effect::Remove), at(3, 1, Status::Completed));
    tape.found("a", 1, at(3, 1, Status::Completed));
    tape.assert_good();
}

#[test]
fn a_prune_of_everything_explains_every_loss() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    let ask = Ask { prune: Some(PruneKind::Everything), ..Ask::default() };
    tape.call(Event { ask, ..plain(Op::Prune) }, vec![said(Answer::Pruned(1))]);
    tape.absent("a");
    tape.assert_good();
}

#[test]
fn a_transaction_whose_end_is_unknown_may_have_committed() {
    for commits in [true, false] {
        let in_tx = |event: Event| Event { ask: Ask { tx: Some(1), ..event.ask }, ..event };
        let mut tape = Tape::new();
        tape.call(in_tx(enqueue("a")), vec![queued(1)]);
        let asked = tape.begin(vec![in_tx(plain(Op::Commit))]);
        tape.end_as(Phase::Info, asked);
        if commits {
            tape.found("a", 1, at(1, 0, Status::Queued));
        } else {
            tape.absent("a");
        }
        tape.assert_good();
    }
}

#[test]
fn a_worker_that_released_what_it_held_is_shut_down() {
    let mut tape = Tape::new();
    tape.enqueue("a", 1);
    tape.claim(1, "a", 1, leased(2, 1));
    tape.done(release("a", 1, 1), at(3, 1, Status::Queued));
    tape.mark(of_worker(Op::Shutdown, "w"));
    tape.assert_good();
}

#[test]
fn a_call_that_arrived_twice_may_have_begun_a_life_of_which_nobody_was_told() {
    let history = |echoes| {
        let mut tape = Tape::new();
        tape.rules.echoes = echoes;
        tape.enqueue("a", 1);
        tape.done(change(Op::Cancel, "a", 1, 1, finish(Status::Cancelled)), at(2, 0, Status::Cancelled));
        tape.claim(1, "a", 2, leased(2, 1));
        tape
    };
    history(true).assert_good();
    assert!(!history(false).broken().is_empty());
}
