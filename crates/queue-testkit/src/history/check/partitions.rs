//! I25: no more jobs of a partition are leased than its limit, and no claim gets more limited jobs
//! than it asked for.

use super::{
    finding::Findings,
    item::Item,
    life::{Life, Sighting},
    story::Story,
};
use crate::{
    Invariant,
    history::{Effect, Event, LimitView, Op, PruneKind},
};
use std::{collections::BTreeMap, ops::Range};

/// What is known of a lease.
struct Lease<'a> {
    /// The claim gave it after this position in the history.
    given_after: usize,
    /// It is certainly held at these positions: from the answer of the claim to the begin of the
    /// first call that may end it. A lease that has lapsed is held until a call ends it.
    held: Range<usize>,
    event: &'a Event,
}

pub(super) fn check(story: &Story<'_>, findings: &mut Findings) {
    for ((queue, partition), leases) in leases_by_partition(story) {
        check_partition(story, queue, partition, leases, findings);
    }
    story
        .of_op(Op::Claim)
        .filter(|claim| claim.is_answered())
        .for_each(|claim| check_claim(story, claim, findings));
}

fn leases_by_partition<'a>(story: &Story<'a>) -> BTreeMap<(&'a str, &'a str), Vec<Lease<'a>>> {
    let mut by_partition: BTreeMap<_, Vec<Lease<'_>>> = BTreeMap::new();
    for life in story.lives() {
        for claim in life.sightings.iter().filter(|seen| seen.is_claim()) {
            if let Some(partition) = &claim.seen.partition {
                let leases = by_partition.entry((life.queue, partition.as_str())).or_default();
                leases.push(lease(story, life, claim));
            }
        }
    }
    by_partition
}

fn lease<'a>(story: &Story<'a>, life: &Life<'a>, claim: &Sighting<'a>) -> Lease<'a> {
    let acts = life.acts.iter().copied().filter(|act| act.may_be_done() && may_end_lease(act, claim));
    let prunes = story.of_op(Op::Prune).filter(|prune| may_empty(prune, life.queue));
    let ends = acts.chain(prunes).filter(|end| !end.precedes(claim.item)).map(|end| end.begin);
    let held = claim.item.end..ends.min().unwrap_or(usize::MAX);
    Lease { given_after: claim.item.begin, held, event: claim.event }
}

fn may_end_lease(act: &Item<'_>, lease: &Sighting<'_>) -> bool {
    let may_fit = match act.asked.token {
        Some(token) => Some(token) == lease.event.token,
        None => act.asked.ask.revision.is_none_or(|revision| revision >= lease.seen.revision),
    };
    may_fit && act.asked.ask.effect != Some(Effect::Touch)
}

fn may_empty(prune: &Item<'_>, queue: &str) -> bool {
    let is_whole = prune.asked.ask.prune == Some(PruneKind::Everything);
    is_whole && prune.asked.queue == queue && !prune.is_refused()
}

/// Where the leases of several claims overlap, the last of them was given between the begin of the
/// last claim and the position at which all are held.
fn check_partition(
    story: &Story<'_>,
    queue: &str,
    partition: &str,
    mut leases: Vec<Lease<'_>>,
    findings: &mut Findings,
) {
    leases.sort_by_key(|lease| lease.held.start);
    let mut held: Vec<Lease<'_>> = Vec::new();
    for lease in leases.into_iter().filter(|lease| !lease.held.is_empty()) {
        let at = lease.held.start;
        held.retain(|older| older.held.contains(&at));
        held.push(lease);
        let last_begin = held.iter().map(|lease| lease.given_after).max().unwrap_or(at);
        let most = limit_at_most(story, queue, partition, &(last_begin..at));
        if held.len() as u64 > most {
            let explanation =
                format!("{} jobs of {partition:?} are leased, and its limit is {most}", held.len());
            let shown_by: Vec<&Event> = held.iter().map(|lease| lease.event).collect();
            findings.report(Invariant::I25, explanation, &shown_by);
        }
    }
}

fn check_claim(story: &Story<'_>, claim: &Item<'_>, findings: &mut Findings) {
    let Some(limited_max) = claim.asked.ask.limited_max else { return };
    let is_limited = |event: &&&Event| {
        let partition = event.seen.as_ref().and_then(|seen| seen.partition.as_deref());
        partition.is_some_and(|partition| {
            limit_at_most(story, &claim.asked.queue, partition, &(claim.begin..claim.end)) < u64::MAX
        })
    };
    let limited: Vec<&Event> = claim.answers.iter().filter(is_limited).copied().collect();
    if limited.len() as u64 > limited_max {
        let explanation = format!("a claim gave {} limited jobs, and asked for {limited_max}", limited.len());
        findings.report(Invariant::I25, explanation, &limited);
    }
}

/// The highest limit that may be in force for a partition between these positions; `u64::MAX` if
/// there may be none.
fn limit_at_most(story: &Story<'_>, queue: &str, partition: &str, during: &Range<usize>) -> u64 {
    let running = |limit: Option<&LimitView>| limit.and_then(|limit| limit.running).unwrap_or(u64::MAX);
    let of_each = in_force(story, queue, None, during).into_iter().map(running).max();
    let own = in_force(story, queue, Some(partition), during).into_iter();
    let limits = own.map(|own| own.map_or(of_each, |own| Some(running(Some(own)))));
    limits.flatten().max().unwrap_or(u64::MAX)
}

/// The limits of one scope that may be in force between these positions; `None` stands for no
/// limit. A call certainly replaced those that were answered before it began, unless they may reach
/// the store twice.
fn in_force<'a>(
    story: &Story<'a>,
    queue: &str,
    scope: Option<&str>,
    during: &Range<usize>,
) -> Vec<Option<&'a LimitView>> {
    let sets: Vec<_> = story
        .of_op(Op::SetLimits)
        .filter(|set| set.asked.queue == queue && !set.is_refused() && set.begin < during.end)
        .filter_map(|set| {
            Some((set, set.asked.ask.limits.iter().rfind(|of| of.partition.as_deref() == scope)?))
        })
        .collect();
    let certain = || sets.iter().filter(|(set, _)| set.end < during.start);
    let is_replaced = |set: &Item<'_>| !story.rules.echoes && certain().any(|(newer, _)| set.precedes(newer));
    let mut limits: Vec<_> = sets
        .iter()
        .filter(|(set, _)| !is_replaced(set))
        .map(|(_, limit)| Some(*limit).filter(|limit| limit.is_set))
        .collect();
    if certain().next().is_none() {
        limits.push(None);
    }
    limits
}
