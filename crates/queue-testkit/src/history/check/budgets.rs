//! I7, budgets and attempt numbers, and I8, exhaustion is visible.

use super::{
    finding::Findings,
    item::Item,
    life::{Life, Sighting},
};
use crate::{
    Invariant,
    history::{Op, RecordView, Status},
};
use queue_core::Reason;

pub(super) fn check_life(life: &Life<'_>, findings: &mut Findings) {
    for sighting in &life.sightings {
        check_counters(life, *sighting, findings);
    }
    life.claims().windows(2).for_each(|pair| check_attempts(life, pair[0], pair[1], findings));
}

fn check_counters(life: &Life<'_>, sighting: Sighting<'_>, findings: &mut Findings) {
    let seen = sighting.seen;
    let is_over = exceeds(seen.failures, seen.max_attempts) || exceeds(seen.stalls, seen.max_stalls);
    if is_over {
        let explanation = format!("{:?} was charged beyond its budget", life.id);
        findings.report(Invariant::I7, explanation, &[sighting.event]);
    }
    if is_spent(seen) && !seen.status.is_terminal() {
        let explanation = format!("{:?} is out of budget and yet {:?}", life.id, seen.status);
        findings.report(Invariant::I8, explanation, &[sighting.event]);
    }
    let has_reason = match seen.status {
        Status::Failed => true,
        Status::Cancelled => seen.reason.as_deref() == Some(Reason::Expired.as_str()),
        _ => false,
    };
    if has_reason != seen.reason.is_some() {
        let explanation = format!("{:?} is {:?} with the reason {:?}", life.id, seen.status, seen.reason);
        findings.report(Invariant::I8, explanation, &[sighting.event]);
    }
}

fn exceeds(used: u32, budget: u32) -> bool {
    budget > 0 && used > budget
}

fn is_spent(seen: &RecordView) -> bool {
    let spent = |used: u32, budget: u32| budget > 0 && used >= budget;
    spent(seen.failures, seen.max_attempts) || spent(seen.stalls, seen.max_stalls)
}

/// From one claim to the next the attempt stays the same, or rises by the one charge that ended the
/// lease.
fn check_attempts(life: &Life<'_>, older: Sighting<'_>, newer: Sighting<'_>, findings: &mut Findings) {
    let mut redrives = life.may_precede(newer.item).filter(|act| act.asked.op == Op::Redrive);
    if redrives.any(|act| act.end > older.item.begin) {
        return;
    }
    let (before, after) = (attempt(older), attempt(newer));
    let adjacent = older.seen.epoch + 1 == newer.seen.epoch;
    let charged = life.done().find_map(|act| charge(act, older, newer));
    let is_right = match charged {
        Some(charge) if adjacent => after == before + charge,
        None if adjacent => after == before || after == before + 1,
        _ => after >= before,
    };
    if !is_right {
        let explanation = format!("the attempt of {:?} went from {before} to {after}", life.id);
        findings.report(Invariant::I7, explanation, &[older.event, newer.event]);
    }
}

fn attempt(claim: Sighting<'_>) -> u64 {
    let counted = u64::from(claim.seen.failures) + u64::from(claim.seen.stalls) + 1;
    claim.event.attempt.map_or(counted, u64::from)
}

/// The charge that this change certainly made, if it ended the older lease.
fn charge(act: &Item<'_>, older: Sighting<'_>, newer: Sighting<'_>) -> Option<u64> {
    let is_own = act.asked.token == older.event.token;
    let revision = act.asked.ask.revision;
    match act.asked.op {
        Op::Fail if is_own => Some(1),
        Op::Release | Op::Snooze | Op::Suspend if is_own => Some(0),
        Op::Lapse if revision >= Some(older.seen.revision) && revision < Some(newer.seen.revision) => Some(1),
        _ => None,
    }
}
