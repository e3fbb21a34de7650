//! I5: one outcome, and a repeated settle is answered as before.

use super::{finding::Findings, item::Item, life::Life, story::Story};
use crate::{
    Invariant,
    history::{Answer, Op},
};

pub(super) fn check_life(story: &Story<'_>, life: &Life<'_>, findings: &mut Findings) {
    let settles: Vec<&Item<'_>> = life.done().filter(|act| act.asked.op.is_settle()).collect();
    for (at, first) in settles.iter().enumerate() {
        for second in &settles[at + 1..] {
            check_pair(life, first, second, findings);
        }
        check_replays(story, life, first, findings);
    }
}

fn check_pair(life: &Life<'_>, first: &Item<'_>, second: &Item<'_>, findings: &mut Findings) {
    let (a, b) = (first.asked, second.asked);
    let completed_twice = a.op == Op::Complete && b.op == Op::Complete && a.token != b.token;
    if completed_twice {
        let explanation = format!("{:?} was completed under two leases", life.id);
        findings.report(Invariant::I5, explanation, &[a, b]);
    }
    if a.token == b.token && a.op != b.op {
        let explanation = format!("one lease of {:?} was settled in two ways", life.id);
        findings.report(Invariant::I5, explanation, &[a, b]);
    }
}

/// A repeat of a settle that stands does not get the answer that the lease is lost, unless a newer
/// claim exists.
fn check_replays(story: &Story<'_>, life: &Life<'_>, first: &Item<'_>, findings: &mut Findings) {
    let replays = life.acts.iter().filter(|act| {
        act.asked.op == first.asked.op && act.asked.token == first.asked.token && first.precedes(act)
    });
    for replay in replays.filter(|replay| replay.said(&Answer::LeaseLost) || replay.said(&Answer::Stale)) {
        let own = life.claim_under(first.asked.token).map(|claim| claim.seen.epoch);
        let reclaimed =
            life.sightings.iter().any(|seen| seen.item.begin < replay.end && Some(seen.seen.epoch) > own);
        if own.is_some() && !reclaimed && story.lost_claims(life.queue, replay) == 0 && !story.rules.echoes {
            let explanation =
                format!("repeating the settle of {:?} was refused without a newer claim", life.id);
            findings.report(Invariant::I5, explanation, &[first.asked, replay.asked]);
        }
    }
}
