//! I13: a result that is read is the one that was settled.

use super::{finding::Findings, item::Item, life::Life, story::Story};
use crate::{
    Invariant,
    history::{Answer, Event, Op, Status},
};

pub(super) fn check_life(story: &Story<'_>, life: &Life<'_>, findings: &mut Findings) {
    for sighting in life.sightings.iter().filter(|sighting| sighting.seen.with_body) {
        if sighting.seen.status == Status::Completed {
            check_result(life, sighting.item, sighting.event, findings);
        }
    }
    let told = story.items.iter().filter(|item| {
        let is_of_life = item.answer().is_some_and(|event| event.seq == Some(life.seq));
        is_of_life && item.asked.queue == life.queue
    });
    for item in
        told.filter(|item| item.said(&Answer::Completed) || item.said(&Answer::Ended(Status::Completed)))
    {
        check_result(life, item, item.answers[0], findings);
    }
}

fn check_result(life: &Life<'_>, item: &Item<'_>, event: &Event, findings: &mut Findings) {
    if event.result.is_none() || !settled(life, item).contains(&event.result) {
        let explanation = format!("{:?} shows a result that was not settled", life.id);
        findings.report(Invariant::I13, explanation, &[event]);
    }
}

/// The results that may be stored: the results of completions that stand or may stand, except
/// completions that came after one stood.
fn settled(life: &Life<'_>, by: &Item<'_>) -> Vec<Option<u64>> {
    let completions: Vec<_> = life.may_precede(by).filter(|act| act.asked.op == Op::Complete).collect();
    let is_first = |act: &&Item<'_>| !completions.iter().any(|other| other.is_done() && other.precedes(act));
    completions.iter().copied().filter(|act| is_first(act)).map(|act| act.asked.result).collect()
}
