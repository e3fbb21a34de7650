//! I3, one live lease, and I4, fencing.

use super::{
    finding::Findings,
    item::Item,
    life::{Life, Sighting},
    story::Story,
};
use crate::{Invariant, history::Op};

pub(super) fn check_life(story: &Story<'_>, life: &Life<'_>, findings: &mut Findings) {
    let claims = life.claims();
    claims.windows(2).for_each(|pair| check_hand_over(life, pair[0], pair[1], findings));
    for (at, claim) in claims.iter().enumerate() {
        for older in claims[..at].iter().filter(|older| claim.item.precedes(older.item)) {
            let explanation = format!("the epoch of {:?} went back from one claim to the next", life.id);
            findings.report(Invariant::I3, explanation, &[claim.event, older.event]);
        }
    }
    for act in life.done() {
        check_expiry(life, act, findings);
        if act.asked.token.is_some() {
            check_fence(story, life, act, findings);
        }
        if act.asked.op == Op::Extend {
            check_extend(story, life, act, findings);
        }
    }
}

fn check_hand_over(life: &Life<'_>, older: Sighting<'_>, newer: Sighting<'_>, findings: &mut Findings) {
    let events = [older.event, newer.event];
    if older.seen.epoch == newer.seen.epoch {
        let explanation = format!("two claims of {:?} share the epoch {}", life.id, older.seen.epoch);
        return findings.report(Invariant::I3, explanation, &events);
    }
    let adjacent = older.seen.epoch + 1 == newer.seen.epoch;
    if adjacent && !life.may_precede(newer.item).any(|act| may_end_lease(act, older)) {
        let explanation = format!("{:?} was claimed again while nothing had ended its lease", life.id);
        findings.report(Invariant::I3, explanation, &events);
    }
}

fn may_end_lease(act: &Item<'_>, lease: Sighting<'_>) -> bool {
    let settles = act.asked.op.is_settle() && act.asked.token == lease.event.token;
    let expires = act.asked.op == Op::Lapse
        && act.asked.ask.revision.is_none_or(|revision| revision >= lease.seen.revision);
    settles || expires
}

/// A lease that is ended as lapsed was not seen alive at that very revision.
fn check_expiry(life: &Life<'_>, act: &Item<'_>, findings: &mut Findings) {
    let (Op::Lapse, Some(now), Some(answer)) = (act.asked.op, act.time_store(), act.answer()) else {
        return;
    };
    let mut held = life.sightings.iter().filter(|seen| Some(seen.seen.revision) == act.asked.ask.revision);
    if let Some(alive) = held.find(|seen| seen.seen.expires_at.is_some_and(|at| at > now)) {
        let explanation = format!("the lease of {:?} was ended before it lapsed", life.id);
        findings.report(Invariant::I3, explanation, &[alive.event, answer]);
    }
}

/// A token is valid for the claim that drew it, until a newer claim.
fn check_fence(story: &Story<'_>, life: &Life<'_>, act: &Item<'_>, findings: &mut Findings) {
    let Some(answer) = act.answer() else { return };
    let Some(own) = life.claim_under(act.asked.token) else {
        let drawn = story.of_op(Op::Claim).find(|claim| claim.asked.token == act.asked.token);
        if !drawn.is_some_and(|claim| claim.is_unknown() || story.rules.echoes) {
            let explanation = format!("{:?} was changed under a token that was never given for it", life.id);
            findings.report(Invariant::I4, explanation, &[act.asked, answer]);
        }
        return;
    };
    let claims = life.claims();
    let newer = claims.iter().find(|claim| claim.seen.epoch > own.seen.epoch && claim.item.precedes(act));
    let shows_newer = answer.seen.as_ref().is_some_and(|seen| seen.epoch > own.seen.epoch);
    if newer.is_some() || shows_newer {
        let explanation = format!("{:?} was changed under a token older than its newest claim", life.id);
        let shown_by: Vec<_> =
            [Some(own.event), newer.map(|claim| claim.event), Some(answer)].into_iter().flatten().collect();
        findings.report(Invariant::I4, explanation, &shown_by);
    }
}

/// A heartbeat succeeds while the lease lives, and not once it has lapsed or been settled.
fn check_extend(story: &Story<'_>, life: &Life<'_>, act: &Item<'_>, findings: &mut Findings) {
    let Some((answer, seen)) = act.answer().and_then(|answer| Some((answer, answer.seen.as_ref()?))) else {
        return;
    };
    let before = life.sightings.iter().find(|sighting| sighting.seen.revision + 1 == seen.revision);
    let lapsed_at = before.and_then(|before| before.seen.expires_at);
    if lapsed_at.zip(story.time_at_least(act)).is_some_and(|(lapsed, now)| lapsed <= now) {
        let explanation = format!("the lease of {:?} was extended after it had lapsed", life.id);
        findings.report(Invariant::I4, explanation, &[answer]);
    }
    let settled = life.done().find(|settle| {
        settle.asked.op.is_settle() && settle.asked.token == act.asked.token && settle.precedes(act)
    });
    if let Some(settled) = settled {
        let explanation = format!("the lease of {:?} was extended after it had been settled", life.id);
        findings.report(Invariant::I4, explanation, &[settled.asked, answer]);
    }
}
