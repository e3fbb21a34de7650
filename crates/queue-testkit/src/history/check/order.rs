//! I11, schedule, I12, order, and I24, time. A due job that a claim does not find is stuck, which
//! is I15.

use super::{
    finding::Findings,
    item::Item,
    life::{Life, Sighting},
    story::Story,
};
use crate::{
    Invariant,
    history::{Answer, Event, Op},
};
use std::collections::BTreeMap;

pub(super) fn check(story: &Story<'_>, findings: &mut Findings) {
    story.lives().for_each(|life| check_schedule(story, life, findings));
    for claim in story.of_op(Op::Claim).filter(|claim| claim.is_answered()) {
        check_batch(story, claim, findings);
        if is_alone(story, claim) {
            check_passed_over(story, claim, findings);
        }
    }
    check_numbers(story, findings);
    check_time(story, findings);
}

fn check_schedule(story: &Story<'_>, life: &Life<'_>, findings: &mut Findings) {
    for claim in life.sightings.iter().filter(|seen| seen.is_claim()) {
        let Some(now) = claim.event.time_store else { continue };
        let waiting = life.sightings.iter().find(|seen| seen.seen.revision + 1 == claim.seen.revision);
        let due_at =
            [Some(claim.seen.run_at), waiting.map(|seen| seen.seen.run_at), first_due(story, life, claim)];
        if due_at.into_iter().flatten().any(|due_at| now < due_at) {
            let explanation = format!("{:?} was claimed at {now}, before its time", life.id);
            let shown_by: Vec<_> = waiting.map(|seen| seen.event).into_iter().chain([claim.event]).collect();
            findings.report(Invariant::I11, explanation, &shown_by);
        }
    }
}

/// The earliest time at which a life that was never rescheduled can be due: the delay of its
/// enqueue, counted from the begin of that call. A job that may replace another may be due earlier.
fn first_due(story: &Story<'_>, life: &Life<'_>, claim: &Sighting<'_>) -> Option<i64> {
    let birth = life.birth?;
    let hurried = life.may_precede(claim.item).any(|act| is_hurried(act.asked.op));
    if hurried || claim.seen.epoch != 1 || birth.asked.ask.replaces_waiting == Some(true) {
        return None;
    }
    story.time_at_least(birth).zip(birth.asked.ask.delay_ms).map(|(at, delay)| at.saturating_add(delay))
}

fn is_hurried(op: Op) -> bool {
    matches!(op, Op::Promote | Op::Reschedule | Op::Amend | Op::Redrive)
}

fn check_batch(story: &Story<'_>, claim: &Item<'_>, findings: &mut Findings) {
    for (at, second) in claim.answers.iter().enumerate() {
        let mut before = claim.answers[..at].iter();
        let Some(first) = before.rfind(|first| partition(first) == partition(second)) else { continue };
        let is_reversed = key(first).zip(key(second)).is_some_and(|(first, second)| first > second);
        if is_reversed && !may_come_late(story, claim, second) {
            let explanation =
                format!("{:?} was claimed before {:?}, against the claim order", first.id, second.id);
            findings.report(Invariant::I12, explanation, &[first, second]);
        }
    }
}

/// Whether a claim in turns, which a store may make in several steps, may have met the job only
/// after it had taken others: it was new, or a call wrote or held it, or its gate may have opened.
fn may_come_late(story: &Story<'_>, claim: &Item<'_>, given: &Event) -> bool {
    if story.of_op(Op::SetLimits).next().is_none() {
        return false;
    }
    let life = given.seq.and_then(|seq| story.find(&given.queue, seq));
    life.is_none_or(|life| {
        let is_new = life.birth.is_none_or(|birth| !birth.precedes(claim));
        is_new || life.has_gate() || life.acts.iter().any(|act| act.overlaps(claim))
    })
}

/// Partitions take turns, so the claim order is that of the jobs of one partition, or of none.
fn partition(event: &Event) -> Option<&str> {
    event.seen.as_ref()?.partition.as_deref()
}

/// The claim order: priority, then time, then number.
fn key(event: &Event) -> Option<(i16, i64, u64)> {
    let seen = event.seen.as_ref()?;
    Some((seen.priority, seen.run_at, event.seq?))
}

/// Whether no other claim of the queue overlaps this one, so that no other claim can have held a
/// row.
fn is_alone(story: &Story<'_>, claim: &Item<'_>) -> bool {
    let mut others = story.of_op(Op::Claim).filter(|other| {
        other.asked.queue == claim.asked.queue
            && other.asked.index != claim.asked.index
            && !other.is_refused()
    });
    !others.any(|other| other.overlaps(claim))
}

/// A due job that no call has touched comes before every job of its partition behind it, and before
/// the answer that no job is due, unless its partition may be full.
fn check_passed_over(story: &Story<'_>, claim: &Item<'_>, findings: &mut Findings) {
    let finds_none = claim.asked.ask.limit.is_none_or(|limit| limit > 0)
        && matches!(
            claim.answer().and_then(|e| e.answer.as_ref()),
            Some(Answer::Nothing { paused: false, .. })
        );
    let of_queue = story.lives().filter(|life| life.queue == claim.asked.queue);
    for life in of_queue.filter(|life| story.is_untouched_and_due(life, claim)) {
        let Some(birth) = life.birth else { continue };
        if finds_none && !life.may_lack_a_slot() {
            let explanation = format!("{:?} is due, and a claim found nothing", life.id);
            findings.report(Invariant::I15, explanation, &[birth.asked, claim.answers[0]]);
        }
        let asked = birth.asked.ask.partition.as_deref();
        let of_partition = claim.answers.iter().filter(|event| partition(event) == asked);
        let last = of_partition.filter_map(|event| Some((key(event)?, *event))).max_by_key(|(key, _)| *key);
        if let Some((_, event)) = last.filter(|(last, _)| latest_key(life, birth) < Some(*last)) {
            let explanation = format!("{:?} was passed over", life.id);
            findings.report(Invariant::I12, explanation, &[birth.asked, event]);
        }
    }
}

/// The last position in the claim order that an untouched job can have.
fn latest_key(life: &Life<'_>, birth: &Item<'_>) -> Option<(i16, i64, u64)> {
    let run_at = birth.time_store()?.saturating_add(birth.asked.ask.delay_ms?);
    Some((birth.asked.ask.priority?, run_at, life.seq))
}

/// Numbers of lives grow in the order of the enqueues of each queue.
fn check_numbers(story: &Story<'_>, findings: &mut Findings) {
    let mut by_queue: BTreeMap<&str, Vec<&Item<'_>>> = BTreeMap::new();
    for item in story.of_op(Op::Enqueue).filter(|item| item.said(&Answer::Queued)) {
        by_queue.entry(&item.asked.queue).or_default().push(item);
    }
    for enqueues in by_queue.values_mut() {
        enqueues.sort_by_key(|item| item.answers[0].seq);
        for pair in enqueues.windows(2) {
            let in_one_call =
                pair[0].asked.call == pair[1].asked.call && pair[1].asked.item < pair[0].asked.item;
            if pair[1].precedes(pair[0]) || in_one_call {
                let explanation = "the later enqueue got the lower number";
                findings.report(Invariant::I12, explanation, &[pair[1].answers[0], pair[0].answers[0]]);
            }
        }
    }
}

/// No answer has an earlier time than a write that was answered before it began, nor than an
/// earlier answer to the same process.
fn check_time(story: &Story<'_>, findings: &mut Findings) {
    let mut told: BTreeMap<u64, &Item<'_>> = BTreeMap::new();
    for item in story.items.iter().filter(|item| item.is_answered() && item.time_store().is_some()) {
        let of_process = told.insert(item.asked.process, item).filter(|earlier| earlier.precedes(item));
        let before = story.time_at_least(item).max(of_process.and_then(Item::time_store));
        if before > item.time_store() {
            let explanation = format!("the store told the time {before:?} and then an earlier one");
            findings.report(Invariant::I24, explanation, &[item.asked, item.answers[0]]);
        }
    }
}
