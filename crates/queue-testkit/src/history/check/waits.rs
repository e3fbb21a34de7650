//! I14, a wait is answered in time, and the part of I13 about the answer of a wait.

use super::{
    finding::Findings,
    item::Item,
    life::Life,
    story::{Story, finish_of},
};
use crate::{
    Invariant,
    history::{Answer, Event, Op, Status},
};

pub(super) fn check(story: &Story<'_>, findings: &mut Findings) {
    let ends_at = story.items.iter().flat_map(|item| item.answers.iter().map(|event| event.time_mono)).max();
    for wait in story.of_op(Op::Wait) {
        check_deadline(story, wait, ends_at, findings);
        let life = wait_life(story, wait);
        if let Some(event) = wait.answer() {
            check_answer(story, wait, event, life, findings);
        }
    }
}

/// The life that the question or the answer of the wait names.
fn wait_life<'s, 'a>(story: &'s Story<'a>, wait: &Item<'_>) -> Option<&'s Life<'a>> {
    let seq = wait.asked.seq.or_else(|| wait.answer().and_then(|event| event.seq));
    seq.and_then(|seq| story.find(&wait.asked.queue, seq))
}

fn check_deadline(story: &Story<'_>, wait: &Item<'_>, history_end: Option<u64>, findings: &mut Findings) {
    let Some(deadline) = wait.asked.ask.deadline_ns else { return };
    let latest = wait.asked.time_mono.saturating_add(deadline).saturating_add(story.rules.wait_slack_ns);
    let answered_at = wait.answers.first().map(|event| event.time_mono);
    if answered_at.or(history_end).is_some_and(|at| at > latest) {
        findings.report(Invariant::I14, "a wait was not answered by its deadline", &[wait.asked]);
    }
}

fn check_answer(
    story: &Story<'_>,
    wait: &Item<'_>,
    event: &Event,
    life: Option<&Life<'_>>,
    findings: &mut Findings,
) {
    match &event.answer {
        Some(Answer::TimedOut) => check_timed_out(story, wait, event, life, findings),
        Some(Answer::Ended(status))
            if !life.is_some_and(|life| may_have_ended(story, life, wait, *status)) =>
        {
            let explanation = "a wait answered an outcome that no settle made";
            findings.report(Invariant::I13, explanation, &[wait.asked, event]);
        }
        Some(Answer::Expired) if !life.is_some_and(|life| story.may_be_gone(life, wait)) => {
            findings.report(
                Invariant::I13,
                "a wait answered that an existing job has expired",
                &[wait.asked, event],
            );
        }
        Some(Answer::Unknown) => check_unknown(story, wait, event, findings),
        _ => {}
    }
}

fn may_have_ended(story: &Story<'_>, life: &Life<'_>, wait: &Item<'_>, status: Status) -> bool {
    life.may_precede(wait).any(|act| finish_of(act) == Some(status))
        || status == Status::Cancelled && story.may_be_cancelled_unheard(life, wait)
}

/// No outcome existed well before the deadline of a wait that timed out.
fn check_timed_out(
    story: &Story<'_>,
    wait: &Item<'_>,
    event: &Event,
    life: Option<&Life<'_>>,
    findings: &mut Findings,
) {
    let Some((life, deadline)) = life.zip(wait.asked.ask.deadline_ns) else { return };
    let in_time = wait.asked.time_mono.saturating_add(deadline).saturating_sub(story.rules.wait_slack_ns);
    let redriven = life.may_precede(wait).any(|act| act.asked.op == Op::Redrive);
    let ended = life.done().find(|act| {
        finish_of(act).is_some() && act.answer().is_some_and(|answer| answer.time_mono < in_time)
    });
    if let Some(ended) = ended.filter(|_| !redriven) {
        let explanation = format!("a wait for {:?} timed out although it had ended", life.id);
        findings.report(Invariant::I14, explanation, &[ended.asked, wait.asked, event]);
    }
}

fn check_unknown(story: &Story<'_>, wait: &Item<'_>, event: &Event, findings: &mut Findings) {
    let id = wait.asked.id.as_deref().unwrap_or_default();
    for life in story.lives_of(&wait.asked.queue, id) {
        let acknowledged = life.birth.filter(|birth| birth.precedes(wait));
        if let Some(birth) = acknowledged.filter(|_| !story.may_be_gone(life, wait)) {
            let explanation = format!("a wait said that {id:?} is unknown");
            findings.report(Invariant::I13, explanation, &[birth.asked, event]);
        }
    }
}
