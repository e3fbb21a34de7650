//! I28: a job is an orphan where a job that it would raise takes no raise, and only there.

use super::{finding::Findings, item::Item, life::Life, signals::may_have_ended, story::Story};
use crate::{
    Invariant,
    history::{Answer, Op, SignalView},
};

pub(super) fn check(story: &Story<'_>, findings: &mut Findings) {
    for enqueue in story.of_op(Op::Enqueue).filter(|enqueue| enqueue.said(&Answer::Orphaned)) {
        let mut raises = enqueue.asked.ask.signals.iter().filter(|signal| signal.raises);
        if raises.all(|signal| takes_raise(story, enqueue, signal)) {
            let explanation =
                format!("{:?} is an orphan although each job takes its raise", enqueue.asked.id);
            findings.report(Invariant::I28, explanation, &[enqueue.asked, enqueue.answers[0]]);
        }
    }
}

/// A job that was stored raised each job that it was to raise, so its record names them.
pub(super) fn check_life(life: &Life<'_>, findings: &mut Findings) {
    let shown = life.sightings.iter().find_map(|seen| Some((seen.event, seen.seen.signals.as_ref()?)));
    let Some((birth, (event, shown))) = life.birth.zip(shown) else { return };
    let is_named = |asked: &SignalView| shown.iter().any(|signal| signal.to == asked.to);
    if birth.asked.ask.signals.iter().any(|asked| asked.raises && !is_named(asked)) {
        let explanation = format!("{:?} is stored, and has not raised what it was to raise", life.id);
        findings.report(Invariant::I28, explanation, &[birth.asked, event]);
    }
}

/// Whether the job that would be raised was there, unfinished, and behind a gate that was not
/// complete even later.
fn takes_raise(story: &Story<'_>, enqueue: &Item<'_>, signal: &SignalView) -> bool {
    let mut lives = story.lives_of(&enqueue.asked.queue, &signal.to);
    let (Some(life), None) = (lives.next(), lives.next()) else { return false };
    let is_there = life.birth.is_some_and(|birth| birth.precedes(enqueue));
    let is_named = signal.life.is_none_or(|named| named == life.seq);
    is_there
        && is_named
        && !may_have_ended(story, life, enqueue)
        && !story.may_be_gone(life, enqueue)
        && is_incomplete_after(life, enqueue)
        && !is_raised_beside(story, enqueue, signal)
}

/// Whether another call may have raised the job at the same time. A gate may seem complete before
/// the raise of a transaction that is still open.
fn is_raised_beside(story: &Story<'_>, enqueue: &Item<'_>, signal: &SignalView) -> bool {
    let mut others = story.items.iter().filter(|other| {
        matches!(other.asked.op, Op::Enqueue | Op::Then)
            && other.asked.index != enqueue.asked.index
            && other.asked.queue == enqueue.asked.queue
            && other.overlaps(enqueue)
    });
    others.any(|other| other.asked.ask.signals.iter().any(|beside| beside.raises && beside.to == signal.to))
}

/// A gate that is not complete was not before either, except where its holder made it need more.
fn is_incomplete_after(life: &Life<'_>, enqueue: &Item<'_>) -> bool {
    life.sightings.iter().any(|seen| {
        let is_later = enqueue.precedes(seen.item) && seen.seen.gate.is_some_and(|gate| !gate.is_complete());
        is_later && !life.may_precede(seen.item).any(|act| act.asked.op.is_settle())
    })
}
