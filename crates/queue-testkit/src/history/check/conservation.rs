//! I20, records, counts and indexes add up, I21, a reopened store is as it was left, and I15 after
//! the drain.

use super::{
    finding::Findings,
    item::Item,
    life::{Life, Sighting},
    story::Story,
};
use crate::{
    Invariant,
    history::{Answer, Event, Op, RecordView, Status},
};
use std::collections::BTreeMap;

pub(super) fn check_life(story: &Story<'_>, life: &Life<'_>, findings: &mut Findings) {
    for pair in life.sightings.windows(2).filter(|pair| pair[0].seen.revision == pair[1].seen.revision) {
        if !agree(pair[0], pair[1]) {
            let explanation =
                format!("{:?} differs from itself at revision {}", life.id, pair[0].seen.revision);
            findings.report(Invariant::I20, explanation, &[pair[0].event, pair[1].event]);
        }
    }
    for (at, older) in life.sightings.iter().enumerate() {
        // Sightings are sorted by revision, so later ones have a higher revision.
        let newer = life.sightings[at..]
            .iter()
            .find(|newer| newer.seen.revision > older.seen.revision && newer.item.precedes(older.item));
        if let Some(newer) = newer {
            let went_back = story.reopened_between(newer.item, older.item);
            let invariant = if went_back { Invariant::I21 } else { Invariant::I20 };
            let explanation = format!("{:?} went back to an earlier revision", life.id);
            findings.report(invariant, explanation, &[newer.event, older.event]);
        }
    }
}

fn agree(a: Sighting<'_>, b: Sighting<'_>) -> bool {
    let facts = |s: Sighting<'_>| {
        let seen = s.seen;
        (seen.status, seen.epoch, seen.failures, seen.stalls, seen.run_at, seen.expires_at, seen.purge_at)
    };
    facts(a) == facts(b) && a.seen.partition == b.seen.partition
}

pub(super) fn check(story: &Story<'_>, findings: &mut Findings) {
    for verify in story.of_op(Op::Verify) {
        let found = verify.answer().filter(
            |event| matches!(&event.answer, Some(Answer::Findings(findings)) if !findings.is_empty()),
        );
        if let Some(event) = found {
            findings.report(Invariant::I20, "the store's own cross-check found contradictions", &[event]);
        }
    }
    if let Some(drain) = story.of_op(Op::Drain).filter(|drain| drain.is_answered()).last() {
        check_drained(story, drain, findings);
        let counts =
            story.of_op(Op::Count).filter(|count| drain.precedes(count) && is_quiet(story, drain, count));
        counts.for_each(|count| check_counts(story, drain, count, findings));
    }
}

/// After the drain no job is unfinished, except behind a gate.
fn check_drained(story: &Story<'_>, drain: &Item<'_>, findings: &mut Findings) {
    for (_, event) in final_records(story, drain, None) {
        let status = event.seen.as_ref().map(|seen| seen.status);
        if status.is_some_and(|status| !status.is_terminal()) && !is_gated(event) {
            let explanation = format!("{:?} is still {status:?} after the drain", event.id);
            findings.report(Invariant::I15, explanation, &[event]);
        }
    }
}

/// Whether the event shows a job behind a closed gate whose time-out is still to come.
pub(super) fn is_gated(event: &Event) -> bool {
    event.seen.as_ref().zip(event.time_store).is_some_and(|(seen, now)| {
        let is_waiting = matches!(seen.status, Status::Queued | Status::Failing);
        is_waiting && seen.run_at > now && seen.gate.is_some_and(|gate| gate.is_closed)
    })
}

/// The records that were shown after the drain, of one queue or of all.
pub(super) fn final_records<'a>(
    story: &Story<'a>,
    drain: &Item<'_>,
    queue: Option<&str>,
) -> BTreeMap<(&'a str, u64), &'a Event> {
    let reads = story
        .items
        .iter()
        .filter(|item| matches!(item.asked.op, Op::Read | Op::List) && drain.precedes(item));
    let found = reads
        .flat_map(|item| item.answers.iter().copied())
        .filter(|event| event.answer == Some(Answer::Found));
    let of_queue = found.filter(|event| queue.is_none_or(|queue| event.queue == queue));
    of_queue.filter_map(|event| Some(((event.queue.as_str(), event.seq?), event))).collect()
}

/// Whether nothing was written from the drain to the count.
fn is_quiet(story: &Story<'_>, drain: &Item<'_>, count: &Item<'_>) -> bool {
    let mut writes = story.items.iter().filter(|item| {
        let is_write =
            item.asked.ask.effect.is_some() || matches!(item.asked.op, Op::Enqueue | Op::Claim | Op::Prune);
        is_write && !item.is_refused() && !item.is_unknown()
    });
    !writes.any(|write| write.end > drain.end && write.begin < count.end)
}

/// Unfinished jobs are counted exactly. Of the terminal jobs that are overdue for removal by then,
/// some, all or none may be counted.
fn check_counts(story: &Story<'_>, drain: &Item<'_>, count: &Item<'_>, findings: &mut Findings) {
    let Some(event) = count.answer() else { return };
    let Some(Answer::Counted(counted)) = &event.answer else { return };
    let counted_at = event.time_store;
    let records = final_records(story, drain, Some(&count.asked.queue));
    let all = [
        Status::Queued,
        Status::Processing,
        Status::Failing,
        Status::Completed,
        Status::Failed,
        Status::Cancelled,
    ];
    for (status, counted) in all.into_iter().zip(counted) {
        let must_count = |event: &&&Event| {
            let is_kept =
                |seen: &RecordView| seen.purge_at.is_none_or(|at| counted_at.is_some_and(|now| now < at));
            event.seen.as_ref().is_some_and(|seen| seen.status == status && is_kept(seen))
        };
        let found = records.values().filter(must_count).count() as u64;
        let adds_up = if status.is_terminal() { *counted >= found } else { *counted == found };
        if !adds_up {
            let explanation = format!("{counted} jobs are counted as {status:?}, and {found} were read");
            findings.report(Invariant::I20, explanation, &[event]);
        }
    }
}
