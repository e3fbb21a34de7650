//! Checks that need parameters of the run: I16, progress, I17, limits, I22, shutdown, and I23,
//! bounded duplicates.

use super::{
    finding::Findings,
    item::Item,
    life::{Life, Sighting},
    story::Story,
};
use crate::{
    Invariant,
    history::{Answer, Event, Op},
};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn check_life(story: &Story<'_>, life: &Life<'_>, findings: &mut Findings) {
    let of_life = |item: &&Item<'_>| item.asked.queue == life.queue && item.asked.seq == Some(life.seq);
    let runs: Vec<_> = story.of_op(Op::ExecStart).filter(of_life).collect();
    check_starts(story, life, &runs, findings);
    for run in runs.iter().filter(|run| run.asked.token.is_some()) {
        if life.claim_under(run.asked.token).is_none() {
            let explanation = format!("{:?} was started without a claim", life.id);
            findings.report(Invariant::I23, explanation, &[run.asked]);
        }
    }
    let completed = life.done().find(|act| act.asked.op == Op::Complete);
    if let Some(completed) =
        completed.filter(|_| runs.is_empty() && story.of_op(Op::ExecStart).next().is_some())
    {
        let explanation = format!("{:?} was completed without having been started", life.id);
        findings.report(Invariant::I23, explanation, &[completed.asked]);
    }
    for shutdown in story.of_op(Op::Shutdown).filter(|shutdown| shutdown.is_answered()) {
        for claim in
            life.claims().iter().filter(|claim| claim.item.asked.ask.worker == shutdown.asked.ask.worker)
        {
            check_shutdown(story, life, *claim, shutdown, findings);
        }
    }
}

/// Each start but the first needs an event that gave the job back.
fn check_starts(story: &Story<'_>, life: &Life<'_>, runs: &[&Item<'_>], findings: &mut Findings) {
    let claims = life.claims();
    let Some(last) = claims.last() else { return };
    let starts = if runs.is_empty() { claims.len() } else { runs.len() };
    let given_back: BTreeSet<_> = life.may_precede(last.item).filter_map(gives_back).collect();
    if starts > 1 + given_back.len() + story.lost_claims(life.queue, last.item) {
        let explanation = format!(
            "{:?} was started {starts} times, and the history explains {}",
            life.id,
            1 + given_back.len()
        );
        let shown_by: Vec<&Event> = claims.iter().map(|claim| claim.event).collect();
        findings.report(Invariant::I23, explanation, &shown_by);
    }
}

/// The event that gave a job back; repeats of one settle are equal, so that they count once.
fn gives_back(act: &Item<'_>) -> Option<(Op, Option<u64>, Option<u64>)> {
    let gives_back =
        matches!(act.asked.op, Op::Fail | Op::Release | Op::Snooze | Op::Suspend | Op::Lapse | Op::Redrive);
    gives_back.then_some((act.asked.op, act.asked.token, act.asked.ask.revision))
}

/// A job that a worker held when it was shut down has been settled, has lapsed, or was taken from
/// it.
fn check_shutdown(
    story: &Story<'_>,
    life: &Life<'_>,
    claim: Sighting<'_>,
    shutdown: &Item<'_>,
    findings: &mut Findings,
) {
    let lapsed_at = life
        .sightings
        .iter()
        .filter(|seen| seen.seen.epoch == claim.seen.epoch)
        .filter_map(|seen| seen.seen.expires_at)
        .max();
    let now = shutdown.time_store().or(story.time_at_least(shutdown));
    let has_lapsed = lapsed_at.zip(now).is_some_and(|(lapsed, now)| lapsed <= now);
    let is_settled = life.may_precede(shutdown).any(|act| {
        act.asked.token == claim.event.token && act.asked.op.is_settle() || act.asked.op == Op::Lapse
    });
    if claim.item.precedes(shutdown)
        && !has_lapsed
        && !is_settled
        && !story.may_be_emptied(life.queue, shutdown)
    {
        let explanation = format!("{:?} is still held by a worker that was shut down", life.id);
        findings.report(Invariant::I22, explanation, &[claim.event, shutdown.asked]);
    }
}

pub(super) fn check(story: &Story<'_>, findings: &mut Findings) {
    for claim in story.of_op(Op::Claim).filter(|claim| claim.is_answered()) {
        let jobs = claim.answers.iter().filter(|event| event.answer == Some(Answer::Claimed)).count() as u64;
        if claim.asked.ask.limit.is_some_and(|limit| jobs > limit) {
            let explanation = format!("a claim gave {jobs} jobs, more than were asked for");
            findings.report(Invariant::I17, explanation, &[claim.asked, claim.answers[0]]);
        }
    }
    if let Some(most) = story.rules.concurrency_max {
        check_concurrency(story, most, findings);
    }
    story.of_op(Op::Stall).for_each(|stall| check_progress(story, stall, findings));
}

fn check_concurrency(story: &Story<'_>, most: usize, findings: &mut Findings) {
    let mut running: BTreeMap<Option<&str>, usize> = BTreeMap::new();
    for item in story.items {
        let running = running.entry(item.asked.ask.worker.as_deref()).or_default();
        match item.asked.op {
            Op::ExecStart => *running += 1,
            Op::ExecEnd => *running = running.saturating_sub(1),
            _ => {}
        }
        if *running > most && item.asked.op == Op::ExecStart {
            let explanation = format!("{running} handlers of one worker run at once");
            findings.report(Invariant::I17, explanation, &[item.asked]);
        }
    }
}

/// While one worker stands still, the other workers do not all ignore a job that is due all the
/// time.
fn check_progress(story: &Story<'_>, stall: &Item<'_>, findings: &mut Findings) {
    if !stall.is_answered() {
        return;
    }
    let worked = story.of_op(Op::Claim).any(|claim| {
        claim.said(&Answer::Claimed)
            && claim.overlaps(stall)
            && claim.asked.ask.worker != stall.asked.ask.worker
    });
    let of_queue = story.lives().filter(|life| life.queue == stall.asked.queue);
    let waiting = of_queue
        .filter(|life| story.is_untouched_and_due(life, stall) && !life.may_lack_a_slot())
        .find_map(|life| life.birth);
    if let Some(birth) = waiting.filter(|_| !worked) {
        let explanation = format!("while one worker stood still no other claimed {:?}", birth.asked.id);
        findings.report(Invariant::I16, explanation, &[birth.asked, stall.asked]);
    }
}
