//! I6, terminal is final, and I10, a cancelled job never starts. Both rely on changes whose
//! revision proves that they are fresh.

use super::{
    finding::Findings,
    item::Item,
    life::{Life, Sighting},
};
use crate::{
    Invariant,
    history::{Op, Status},
};

pub(super) fn check_life(life: &Life<'_>, findings: &mut Findings) {
    for ended in life.sightings.iter().filter(|seen| seen.is_terminal()) {
        for later in life.sightings.iter().filter(|later| ended.precedes(later)) {
            check_pair(life, *ended, *later, findings);
        }
        for act in life.removals().filter(|act| act.asked.op.is_settle()) {
            check_late_settle(life, *ended, act, findings);
        }
    }
    for removal in life.removals() {
        check_afterlife(life, removal, findings);
    }
    life.done().for_each(|act| check_freshness(life, act, findings));
}

fn check_pair(life: &Life<'_>, ended: Sighting<'_>, later: Sighting<'_>, findings: &mut Findings) {
    let changed = later.seen.status != ended.seen.status;
    if !changed || life.may_be_redriven(ended, later.item) {
        return;
    }
    let (was, is) = (ended.seen.status, later.seen.status);
    let explanation = format!("{:?} was {was:?} and then {is:?} without a redrive", life.id);
    findings.report(Invariant::I6, explanation.clone(), &[ended.event, later.event]);
    if was == Status::Cancelled && (later.is_claim() || is == Status::Completed) {
        findings.report(Invariant::I10, explanation, &[ended.event, later.event]);
    }
}

/// A settle that leaves no record proves nothing, but it must not follow an end other than its own.
fn check_late_settle(life: &Life<'_>, ended: Sighting<'_>, act: &Item<'_>, findings: &mut Findings) {
    if !ended.item.precedes(act) || life.may_be_redriven(ended, act) {
        return;
    }
    let explanation = format!("{:?} was {:?} and was settled all the same", life.id, ended.seen.status);
    findings.report(Invariant::I6, explanation.clone(), &[ended.event, act.asked]);
    if ended.seen.status == Status::Cancelled {
        findings.report(Invariant::I10, explanation, &[ended.event, act.asked]);
    }
}

/// A life whose record was removed does not appear again.
fn check_afterlife(life: &Life<'_>, removal: &Item<'_>, findings: &mut Findings) {
    for ghost in life.sightings.iter().filter(|seen| removal.precedes(seen.item)) {
        let was_taken_back = ghost.is_claim() && matches!(removal.asked.op, Op::Cancel | Op::Delete);
        let invariant = if was_taken_back { Invariant::I10 } else { Invariant::I6 };
        let explanation = format!("{:?} was removed and then seen in the same life", life.id);
        findings.report(invariant, explanation, &[removal.asked, ghost.event]);
    }
}

/// A change that was decided on a revision is not applied to a later one.
fn check_freshness(life: &Life<'_>, act: &Item<'_>, findings: &mut Findings) {
    let (Some(decided_on), Some(answer)) = (act.asked.ask.revision, act.answer()) else { return };
    let written = if act.removes() { None } else { answer.seen.as_ref().map(|seen| seen.revision) };
    // A seal may open its gate in a second step: the revision before that is its own too.
    let own_first = decided_on + if act.asked.op == Op::Seal { 2 } else { 1 };
    let overlooked = life.sightings.iter().find(|other| {
        let revision = other.seen.revision;
        let is_between = revision >= own_first && written.is_some_and(|own| revision < own);
        revision > decided_on && (is_between || other.item.precedes(act))
    });
    if let Some(overlooked) = overlooked {
        let explanation =
            format!("{:?}: {:?} was applied to a record that had changed", life.id, act.asked.op);
        findings.report(broken_by_stale(act.asked.op), explanation, &[overlooked.event, act.asked, answer]);
    }
}

fn broken_by_stale(op: Op) -> Invariant {
    match op {
        Op::Cancel | Op::RequestCancel => Invariant::I10,
        Op::Redrive => Invariant::I6,
        Op::Lapse => Invariant::I3,
        Op::Delete => Invariant::I1,
        _ => Invariant::I20,
    }
}
