//! I1, nothing is lost, and I9, one record per id: an acknowledged life exists until an event ends
//! it. A loss across a reopen also breaks I21, and the loss of a result with its life also breaks
//! I13.

use super::{finding::Findings, item::Item, life::Life, story::Story};
use crate::{
    Invariant,
    history::{Answer, Event, Op, Status},
};

pub(super) fn check(story: &Story<'_>, findings: &mut Findings) {
    for item in story.items.iter().filter(|item| item.is_answered()) {
        for answer in &item.answers {
            check_answer(story, item, answer, findings);
        }
    }
}

fn check_answer(story: &Story<'_>, item: &Item<'_>, event: &Event, findings: &mut Findings) {
    let (Some(id), Some(answer)) = (&event.id, &event.answer) else { return };
    match answer {
        Answer::Absent => {
            story
                .lives_of(&event.queue, id)
                .for_each(|life| check_present(story, life, item, event, findings));
        }
        Answer::Missing => {
            let life = event.seq.and_then(|seq| story.find(&event.queue, seq));
            if let Some(life) = life {
                check_present(story, life, item, event, findings);
            }
        }
        Answer::Queued => check_accepted(story, item, event, findings),
        Answer::Duplicate(_) | Answer::Completed => check_duplicate(story, item, event, findings),
        Answer::Found | Answer::Claimed => check_alone(story, item, event, findings),
        _ => {}
    }
}

/// An answer said that a life no longer exists.
fn check_present(
    story: &Story<'_>,
    life: &Life<'_>,
    item: &Item<'_>,
    event: &Event,
    findings: &mut Findings,
) {
    let Some(birth) = life.birth.filter(|birth| birth.precedes(item)) else { return };
    if story.may_be_gone(life, item) {
        return;
    }
    let explanation = format!("{:?} was acknowledged and is gone, and no event explains that", life.id);
    let completed = life.done().find(|act| super::story::finish_of(act) == Some(Status::Completed));
    let broken = [
        Some(Invariant::I1),
        completed.map(|_| Invariant::I13),
        story.reopened_between(birth, item).then_some(Invariant::I21),
        birth.asked.ask.tx.map(|_| Invariant::I18),
    ];
    for invariant in broken.into_iter().flatten() {
        findings.report(invariant, explanation.clone(), &[birth.asked, event]);
    }
}

/// A new life is accepted only when every older life of the id has made room.
fn check_accepted(story: &Story<'_>, item: &Item<'_>, event: &Event, findings: &mut Findings) {
    let older = story.lives_of(&event.queue, event.id.as_deref().unwrap_or_default());
    for older in older.filter(|older| Some(older.seq) < event.seq && older.birth.is_some()) {
        if !story.may_be_gone(older, item) {
            let explanation = format!("{:?} was accepted while an earlier life of it existed", older.id);
            let birth = older.birth.map_or(event, |birth| birth.asked);
            findings.report(Invariant::I9, explanation, &[birth, event]);
        }
        for ghost in older.sightings.iter().filter(|seen| item.precedes(seen.item)) {
            let explanation = format!("{:?} was seen after a later life of it had begun", older.id);
            findings.report(Invariant::I9, explanation, &[event, ghost.event]);
        }
    }
}

/// A duplicate names an existing life.
fn check_duplicate(story: &Story<'_>, item: &Item<'_>, event: &Event, findings: &mut Findings) {
    let begun = story.enqueues_of(&event.queue, event.id.as_deref().unwrap_or_default()).any(|enqueue| {
        let began_it = enqueue.said(&Answer::Queued) && enqueue.answers[0].seq == event.seq;
        enqueue.begin < item.end && (began_it || enqueue.may_have_begun_another())
    });
    let gone = event.seq.and_then(|seq| story.find(&event.queue, seq));
    let removed = gone.and_then(|life| life.removals().find(|act| act.precedes(item)));
    if !begun || removed.is_some() {
        let explanation = format!("{:?} is called a duplicate of a life that does not exist", event.id);
        findings.report(Invariant::I9, explanation, &[event]);
    }
}

/// While one life exists, an older one that nothing has ended cannot have made room for it.
fn check_alone(story: &Story<'_>, item: &Item<'_>, event: &Event, findings: &mut Findings) {
    let others = story.lives_of(&event.queue, event.id.as_deref().unwrap_or_default());
    for other in others.filter(|other| Some(other.seq) < event.seq) {
        let acknowledged = other.birth.filter(|birth| birth.precedes(item));
        if let Some(birth) = acknowledged.filter(|_| !story.may_be_gone(other, item)) {
            let explanation = format!("two lives of {:?} exist at once", other.id);
            findings.report(Invariant::I9, explanation, &[birth.asked, event]);
        }
    }
    if item.asked.op == Op::Read && event.seq.is_none() {
        findings.report(Invariant::I20, "a record without a life", &[event]);
    }
}
