//! I2, no job appears from nowhere, and I19, a group of an enqueue is all or nothing.

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
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn check_life(story: &Story<'_>, life: &Life<'_>, findings: &mut Findings) {
    for sighting in life.sightings.iter().filter(|sighting| sighting.event.digest.is_some()) {
        if !has_origin(story, life, sighting) {
            let explanation = format!("{:?} has no enqueue with this payload", life.id);
            findings.report(Invariant::I2, explanation, &[sighting.event]);
        }
    }
}

/// The enqueue whose answer named this life, or else one that may have begun a life without naming
/// it.
fn has_origin(story: &Story<'_>, life: &Life<'_>, sighting: &Sighting<'_>) -> bool {
    let is_source = |enqueue: &Item<'_>| {
        enqueue.begin < sighting.item.end && enqueue.asked.digest == sighting.event.digest
    };
    match life.birth {
        Some(birth) => is_source(birth),
        None => story
            .enqueues_of(life.queue, life.id)
            .any(|enqueue| enqueue.may_have_begun_another() && is_source(enqueue)),
    }
}

/// I5 for followers: however often a settle is sent, each follower begins one life.
pub(super) fn check_followers(story: &Story<'_>, findings: &mut Findings) {
    let mut begun: BTreeMap<(&str, &str, u64), Vec<Sighting<'_>>> = BTreeMap::new();
    for life in story.lives().filter(|life| life.birth.is_none()) {
        let shown = life.sightings.iter().find_map(|seen| Some((seen.event.digest?, *seen)));
        if let Some((digest, shown)) = shown {
            begun.entry((life.queue, life.id, digest)).or_default().push(shown);
        }
    }
    for ((queue, id, digest), lives) in begun.into_iter().filter(|(_, lives)| lives.len() > 1) {
        let sources = story.enqueues_of(queue, id).filter(|source| source.asked.digest == Some(digest));
        let parents: BTreeSet<_> =
            sources.map(|source| source.asked.ask.parent.zip(source.asked.token)).collect();
        if let (1, Some(Some(_))) = (parents.len(), parents.first()) {
            let explanation = format!("{id:?} follows one settle {} times", lives.len());
            let shown_by: Vec<&Event> = lives.iter().map(|shown| shown.event).collect();
            findings.report(Invariant::I5, explanation, &shown_by);
        }
    }
}

pub(super) fn check_groups(story: &Story<'_>, findings: &mut Findings) {
    for item in story.items {
        if let Some(answer) = item.answers.iter().find(|event| event.answer == Some(Answer::Malformed)) {
            let explanation = "the answer does not have one item per item of the call";
            findings.report(Invariant::I19, explanation, &[item.asked, answer]);
        }
    }
    for seen in story.of_op(Op::Enqueue).filter(|item| item.is_unknown()) {
        if let Some(shown) = first_sighting(story, seen) {
            check_siblings(story, seen, shown, findings);
        }
    }
}

/// If one job of a group exists, no other of its group can be missing, except one that raises a
/// gate, which may take no raise.
fn check_siblings(story: &Story<'_>, present: &Item<'_>, shown: Sighting<'_>, findings: &mut Findings) {
    let siblings = story.of_op(Op::Enqueue).filter(|other| {
        other.asked.call == present.asked.call
            && other.asked.ask.group == present.asked.ask.group
            && is_only_enqueue(story, other)
            && !other.asked.ask.signals.iter().any(|signal| signal.raises)
            && first_sighting(story, other).is_none()
    });
    for sibling in siblings {
        if let Some(absent) = absence(story, sibling).find(|read| shown.item.precedes(read)) {
            let explanation =
                format!("of one group {:?} exists and {:?} does not", present.asked.id, sibling.asked.id);
            findings.report(Invariant::I19, explanation, &[sibling.asked, shown.event, absent.asked]);
        }
    }
}

/// The first proof that the enqueue of an id took place, if no other enqueue can explain it.
fn first_sighting<'a>(story: &Story<'a>, enqueue: &Item<'_>) -> Option<Sighting<'a>> {
    if !is_only_enqueue(story, enqueue) {
        return None;
    }
    let mut lives = story.lives_of(&enqueue.asked.queue, id_of(enqueue.asked));
    lives.find_map(|life| life.sightings.first().copied())
}

fn is_only_enqueue(story: &Story<'_>, enqueue: &Item<'_>) -> bool {
    story.enqueues_of(&enqueue.asked.queue, id_of(enqueue.asked)).count() == 1
}

/// Reads that found nothing although no removal of many records explains that.
fn absence<'a>(story: &Story<'a>, enqueue: &Item<'_>) -> impl Iterator<Item = &'a Item<'a>> {
    let (queue, id) = (enqueue.asked.queue.clone(), enqueue.asked.id.clone());
    story.of_op(Op::Read).filter(move |read| {
        read.said(&Answer::Absent)
            && read.asked.queue == queue
            && read.asked.id == id
            && !story.may_be_emptied(&queue, read)
    })
}

fn id_of(event: &Event) -> &str {
    event.id.as_deref().unwrap_or_default()
}
