//! I29: a job waits behind its gate until it opens, and no longer.

use super::{
    conservation::{final_records, is_gated},
    finding::Findings,
    item::Item,
    life::{Life, Sighting},
    members::Member,
    signals::may_have_ended,
    story::Story,
};
use crate::{
    Invariant,
    history::{Event, GateView, Op, Status},
};

pub(super) fn check_life(
    story: &Story<'_>,
    life: &Life<'_>,
    members: &[Member<'_, '_>],
    findings: &mut Findings,
) {
    let claims = life.claims();
    for claim in &claims {
        check_claim(story, life, *claim, members, findings);
    }
    life.sightings.iter().for_each(|seen| check_closed(life, *seen, findings));
    // A holder makes its gate need more by what follows its settles.
    if !members.iter().any(|member| member.may_raise() && member.may_follow(life)) {
        for member in members {
            check_raise(life, member, findings);
        }
    }
    check_sealed(life, findings);
    check_sleeper(story, life, members, findings);
}

fn report(life: &Life<'_>, what: &str, shown_by: &[&Event], findings: &mut Findings) {
    findings.report(Invariant::I29, format!("{:?} {what}", life.id), shown_by);
}

/// What is known of the gate behind which a job waited before a claim.
struct ClosedGate<'a> {
    shown_by: Option<&'a Event>,
    /// The earliest time at which it may have timed out.
    due_at: Option<i64>,
    heeds_urgent: bool,
}

/// A claim of a job that waited behind its gate needs something that opened the gate.
fn check_claim(
    story: &Story<'_>,
    life: &Life<'_>,
    claim: Sighting<'_>,
    members: &[Member<'_, '_>],
    findings: &mut Findings,
) {
    let Some((gate, now)) = closed_before(story, life, claim).zip(claim.event.time_store) else { return };
    let is_complete = claim.seen.gate.is_some_and(|gate| gate.is_complete());
    let is_timed_out = gate.due_at.is_some_and(|at| at <= now);
    let is_woken = || gate.heeds_urgent && may_be_woken(story, life, claim, members);
    if is_complete || is_timed_out || life.may_precede(claim.item).any(hurries) || is_woken() {
        return;
    }
    let shown_by: Vec<&Event> = gate.shown_by.into_iter().chain([claim.event]).collect();
    report(life, "was claimed although nothing had opened its gate", &shown_by, findings);
}

fn hurries(act: &Item<'_>) -> bool {
    matches!(act.asked.op, Op::Promote | Op::Reschedule | Op::Amend | Op::Redrive)
}

/// The gate that was closed between the claim and the one before, or since the enqueue.
fn closed_before<'a>(story: &Story<'a>, life: &Life<'a>, claim: Sighting<'_>) -> Option<ClosedGate<'a>> {
    let shown = life.sightings.iter().filter(|seen| seen.seen.epoch + 1 == claim.seen.epoch);
    let shown = shown.filter_map(|seen| {
        let gate = seen.seen.gate.filter(|gate| gate.is_closed)?;
        let (shown_by, due_at) = (Some(seen.event), Some(seen.seen.run_at));
        Some(ClosedGate { shown_by, due_at, heeds_urgent: gate.heeds_urgent })
    });
    let asked = story.origin(life).filter(|_| claim.seen.epoch == 1).and_then(|origin| {
        let terms = origin.asked.ask.gate.filter(|terms| terms.needs > 0 || !terms.is_sealed)?;
        let begun_at = story.time_at_least(origin).unwrap_or(i64::MIN);
        let due_at = terms.timeout_ms.map(|ms| begun_at.saturating_add(ms));
        Some(ClosedGate { shown_by: Some(origin.asked), due_at, heeds_urgent: true })
    });
    asked.into_iter().chain(shown).reduce(|one, other| ClosedGate {
        shown_by: one.shown_by,
        due_at: one.due_at.into_iter().chain(other.due_at).min(),
        heeds_urgent: one.heeds_urgent || other.heeds_urgent,
    })
}

/// Whether an urgent signal may have opened the gate before the claim, or signals came while the
/// holder ran that it had not seen when it suspended the job.
fn may_be_woken(story: &Story<'_>, life: &Life<'_>, claim: Sighting<'_>, members: &[Member<'_, '_>]) -> bool {
    let not_completed = |gate: Option<GateView>| gate.map_or(0, |gate| gate.tally[1] + gate.tally[2]);
    let former = life.claims().into_iter().find(|former| former.seen.epoch + 1 == claim.seen.epoch);
    let unseen =
        former.is_some_and(|former| not_completed(claim.seen.gate) > not_completed(former.seen.gate));
    unseen
        || members.iter().any(|member| {
            let outcomes = member.outcomes_before(story, claim.item);
            member.may_wake() && outcomes.iter().any(|outcome| *outcome != Status::Completed)
        })
}

/// Only a suspend closes the gate of a job that was claimed: one that is given back or fails waits
/// for no signals.
fn check_closed(life: &Life<'_>, seen: Sighting<'_>, findings: &mut Findings) {
    let is_closed = seen.seen.gate.is_some_and(|gate| gate.is_closed) && seen.seen.epoch > 0;
    if is_closed && !life.may_precede(seen.item).any(|act| act.asked.op == Op::Suspend) {
        report(life, "waits behind its gate although no holder suspended it", &[seen.event], findings);
    }
}

/// A complete gate takes no raise, unless a suspend made it need more.
fn check_raise(life: &Life<'_>, member: &Member<'_, '_>, findings: &mut Findings) {
    let Some(origin) = member.origin.filter(|_| member.raises()) else { return };
    if life.may_precede(origin).any(|act| act.asked.op == Op::Suspend) {
        return;
    }
    let complete = life
        .sightings
        .iter()
        .find(|seen| seen.seen.gate.is_some_and(|gate| gate.is_complete()) && seen.item.precedes(origin));
    if let Some(complete) = complete {
        report(life, "was raised although its gate was complete", &[complete.event, origin.asked], findings);
    }
}

/// A gate stays sealed.
fn check_sealed(life: &Life<'_>, findings: &mut Findings) {
    let seals = |act: &&Item<'_>| {
        // A suspend that is sent again may be another one than the one that stands.
        let suspends = act.asked.ask.closes.is_some_and(|closes| closes.seals) && !life.is_sent_again(act);
        act.asked.op == Op::Seal || suspends
    };
    for seal in life.done().filter(seals) {
        let open = life
            .sightings
            .iter()
            .find(|seen| seal.precedes(seen.item) && seen.seen.gate.is_some_and(|gate| !gate.is_sealed));
        if let Some(open) = open {
            report(life, "was sealed, and is not", &[seal.asked, open.event], findings);
        }
    }
}

/// After the drain, no job waits behind a gate that should have opened.
fn check_sleeper(story: &Story<'_>, life: &Life<'_>, members: &[Member<'_, '_>], findings: &mut Findings) {
    let Some(drain) = story.of_op(Op::Drain).filter(|drain| drain.is_answered()).last() else { return };
    let records = final_records(story, drain, Some(life.queue));
    let Some(event) = records.get(&(life.queue, life.seq)).copied().filter(|event| is_gated(event)) else {
        return;
    };
    let Some(seen) = &event.seen else { return };
    let Some(gate) = seen.gate else { return };
    if gate.is_complete() {
        report(life, "waits behind a gate that is complete", &[event], findings);
    }
    // A gate that was closed by a suspend may have been closed after the signal.
    let has_woken = |member: &&Member<'_, '_>| {
        let is_unhappy = member.counted_outcome().is_some_and(|outcome| outcome != Status::Completed);
        let ended = member.proof().filter(|proof| proof.precedes(drain));
        member.wakes() && is_unhappy && ended.is_some_and(|proof| !may_have_ended(story, life, proof))
    };
    let waker = members.iter().find(has_woken).filter(|_| gate.heeds_urgent && seen.epoch == 0);
    if let Some(proof) = waker.and_then(Member::proof) {
        report(life, "sleeps on after an urgent signal", &[proof.asked, event], findings);
    }
}
