//! I28: a gate has counted each life that owes it a signal and has ended, once.

use super::{
    finding::Findings,
    item::Item,
    life::{Life, Sighting},
    members::Member,
    story::{Story, finish_of},
};
use crate::{
    Invariant,
    history::{GateView, Op, Status},
};

/// The outcomes, in the order of a tally.
const OUTCOMES: [Status; 3] = [Status::Completed, Status::Failed, Status::Cancelled];

pub(super) fn check_life(
    story: &Story<'_>,
    life: &Life<'_>,
    members: &[Member<'_, '_>],
    findings: &mut Findings,
) {
    for sighting in &life.sightings {
        let Some(gate) = sighting.seen.gate else { continue };
        if gate.tally.iter().sum::<u64>() != gate.signals {
            report(life, *sighting, "has another number of signals than outcomes", findings);
        }
        check_most(story, life, *sighting, gate, members, findings);
        check_needs(story, life, *sighting, gate, members, findings);
        // Other answers may show the gate as it was when the step began.
        if matches!(sighting.item.asked.op, Op::Read | Op::List) {
            check_least(story, life, *sighting, gate, members, findings);
        }
    }
}

fn report(life: &Life<'_>, sighting: Sighting<'_>, what: &str, findings: &mut Findings) {
    let explanation = format!("the gate of {:?} {what}", life.id);
    findings.report(Invariant::I28, explanation, &[sighting.event]);
}

/// No more is counted than members may have ended, in all and by outcome.
fn check_most(
    story: &Story<'_>,
    life: &Life<'_>,
    sighting: Sighting<'_>,
    gate: GateView,
    members: &[Member<'_, '_>],
    findings: &mut Findings,
) {
    let (mut most, mut ended) = ([0_u64; 3], 0);
    for member in members {
        let outcomes = member.outcomes_before(story, sighting.item);
        ended += u64::from(!outcomes.is_empty());
        let counted: Vec<Status> = outcomes.into_iter().flat_map(|end| member.may_count_as(end)).collect();
        for (most, outcome) in most.iter_mut().zip(OUTCOMES) {
            *most += u64::from(counted.contains(&outcome));
        }
    }
    let is_over = gate.tally.iter().zip(most).any(|(counted, most)| *counted > most);
    if gate.signals > ended || is_over {
        let what =
            format!("counts {:?}, and at most {ended} of its members have ended: {most:?}", gate.tally);
        report(life, sighting, &what, findings);
    }
}

/// Each member is counted that certainly ended before the read, while the gate's job had not.
fn check_least(
    story: &Story<'_>,
    life: &Life<'_>,
    sighting: Sighting<'_>,
    gate: GateView,
    members: &[Member<'_, '_>],
    findings: &mut Findings,
) {
    let (mut least, mut ended) = ([0_u64; 3], 0);
    for member in members.iter().filter(|member| member.is_certain) {
        let proof = member.proof().filter(|proof| proof.precedes(sighting.item));
        if proof.is_none_or(|proof| may_have_ended(story, life, proof)) {
            continue;
        }
        ended += 1;
        let counted = member.counted_outcome();
        for (least, outcome) in least.iter_mut().zip(OUTCOMES) {
            *least += u64::from(counted == Some(outcome));
        }
    }
    let is_under = gate.tally.iter().zip(least).any(|(counted, least)| *counted < least);
    if gate.signals < ended || is_under {
        let what = format!("counts {:?}, and {ended} of its members have ended: {least:?}", gate.tally);
        report(life, sighting, &what, findings);
    }
}

/// Whether the job of a gate may have ended, so that it takes no signals, before the other item
/// took effect.
pub(super) fn may_have_ended(story: &Story<'_>, life: &Life<'_>, by: &Item<'_>) -> bool {
    let may_expire = story.origin(life).is_none_or(|origin| origin.asked.ask.expires_ms.is_some());
    may_expire
        || life.may_precede(by).any(|act| act.removes() || finish_of(act).is_some())
        || life.sightings.iter().any(|seen| seen.is_terminal() && seen.item.begin < by.end)
        || story.may_be_cancelled_unheard(life, by)
}

/// The gate needs what its enqueue said, and one for each job that raised it.
fn check_needs(
    story: &Story<'_>,
    life: &Life<'_>,
    sighting: Sighting<'_>,
    gate: GateView,
    members: &[Member<'_, '_>],
    findings: &mut Findings,
) {
    let Some(origin) = story.origin(life) else { return };
    let is_set_anew = |act: &Item<'_>| act.asked.ask.closes.is_some_and(|closes| closes.needs.is_some());
    if life.may_precede(sighting.item).any(is_set_anew) {
        return;
    }
    let base = origin.asked.ask.gate.map_or(0, |gate| gate.needs);
    let may_raise =
        members.iter().filter(|member| member.may_raise() && member.may_exist_before(sighting.item));
    let most = base.saturating_add(may_raise.count() as u64);
    let is_read = matches!(sighting.item.asked.op, Op::Read | Op::List);
    let raised = members.iter().filter(|member| member.raises() && member.exists_before(sighting.item));
    let least = base.saturating_add(if is_read { raised.count() as u64 } else { 0 });
    if !(least..=most).contains(&gate.needs) {
        let what = format!("needs {} signals, and its members explain {least} to {most}", gate.needs);
        report(life, sighting, &what, findings);
    }
}
