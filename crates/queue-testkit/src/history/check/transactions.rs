//! I18: the parts of a caller's transaction exist if and only if it commits.

use super::{
    finding::Findings,
    item::Item,
    life::Life,
    story::{Story, finish_of},
};
use crate::{
    Invariant,
    history::{Event, Op},
};

pub(super) fn check(story: &Story<'_>, findings: &mut Findings) {
    for part in story.items.iter().filter(|item| item.asked.ask.tx.is_some()) {
        match part.asked.op {
            Op::Enqueue => check_enqueue(story, part, findings),
            op if op.is_settle() && part.is_refused() => check_settle(story, part, findings),
            _ => {}
        }
    }
}

/// No answer shows a job whose enqueue was undone, or is not yet committed.
fn check_enqueue(story: &Story<'_>, enqueue: &Item<'_>, findings: &mut Findings) {
    let Some(answer) = enqueue.answers.first() else { return };
    let Some(life) = answer.seq.and_then(|seq| story.find(&enqueue.asked.queue, seq)) else { return };
    let commit = commit_of(story, enqueue.asked).filter(|commit| !commit.is_refused());
    let early = life.sightings.iter().find(|seen| commit.is_none_or(|commit| seen.item.end < commit.begin));
    if let Some(early) = early {
        let explanation = format!("{:?} was seen outside a transaction that had not committed", life.id);
        findings.report(Invariant::I18, explanation, &[answer, early.event]);
    }
}

/// No answer shows a completion that was undone.
fn check_settle(story: &Story<'_>, settle: &Item<'_>, findings: &mut Findings) {
    let Some(life) = settle.asked.seq.and_then(|seq| story.find(&settle.asked.queue, seq)) else { return };
    let Some(status) = finish_of(settle) else { return };
    let shown =
        life.sightings.iter().find(|seen| seen.seen.status == status && seen.item.begin > settle.begin);
    if let Some(shown) = shown.filter(|shown| !others_explain(life, shown.item, settle)) {
        let explanation = format!("{:?} shows a settle whose transaction was undone", life.id);
        findings.report(Invariant::I18, explanation, &[settle.asked, shown.event]);
    }
}

fn others_explain(life: &Life<'_>, shown: &Item<'_>, settle: &Item<'_>) -> bool {
    life.may_precede(shown)
        .any(|act| finish_of(act) == finish_of(settle) && act.asked.index != settle.asked.index)
}

fn commit_of<'a>(story: &Story<'a>, part: &Event) -> Option<&'a Item<'a>> {
    story.of_op(Op::Commit).find(|commit| commit.asked.ask.tx == part.ask.tx)
}
