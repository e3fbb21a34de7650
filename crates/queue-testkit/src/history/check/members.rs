//! Which lives owe an end signal to which gate, and how each of them ended first.

use super::{
    item::Item,
    life::Life,
    story::{Story, finish_of},
};
use crate::history::{Op, SignalView, Status};
use std::collections::BTreeMap;

/// The lives of a history that owe signals, by the life that counts them.
#[derive(Debug)]
pub(super) struct Members<'s, 'a>(BTreeMap<(&'a str, u64), Vec<Member<'s, 'a>>>);

/// A life that owes, or may owe, a signal to a gate.
#[derive(Debug)]
pub(super) struct Member<'s, 'a> {
    pub(super) life: &'s Life<'a>,
    /// The enqueue that began it.
    pub(super) origin: Option<&'a Item<'a>>,
    /// Whether its record names the life that counts the signal. A record that no answer showed
    /// whole may owe the signal to any life of the id, or to none.
    pub(super) is_certain: bool,
    /// The signal, or all that it may be.
    signals: Vec<&'a SignalView>,
    /// The outcome of its first end, if it is known. A redrive is decided on a record that an
    /// answer showed, so the earliest terminal record is that of the first end.
    outcome: Option<Status>,
}

impl<'s, 'a> Members<'s, 'a> {
    pub(super) fn of(story: &'s Story<'a>) -> Self {
        let mut members = Self(BTreeMap::new());
        for life in story.lives() {
            let origin = story.origin(life);
            let shown = life.sightings.iter().find_map(|seen| seen.seen.signals.as_ref());
            match shown {
                Some(shown) => members.add_shown(life, origin, shown),
                None => members.add_asked(story, life, origin),
            }
        }
        members
    }

    /// The members of a gate.
    pub(super) fn to(&self, gate: &Life<'a>) -> &[Member<'s, 'a>] {
        self.0.get(&(gate.queue, gate.seq)).map_or(&[], Vec::as_slice)
    }

    fn add_shown(&mut self, life: &'s Life<'a>, origin: Option<&'a Item<'a>>, shown: &'a [SignalView]) {
        for signal in shown {
            let Some(gate) = signal.life else { continue };
            let mut asked = origin.into_iter().flat_map(|origin| &origin.asked.ask.signals);
            let asked = asked.find(|asked| asked.to == signal.to);
            self.add(life, origin, gate, true, vec![asked.unwrap_or(signal)]);
        }
    }

    fn add_asked(&mut self, story: &'s Story<'a>, life: &'s Life<'a>, origin: Option<&'a Item<'a>>) {
        let enqueues: Vec<&Item<'_>> = match origin {
            Some(origin) => vec![origin],
            None => story.enqueues_of(life.queue, life.id).collect(),
        };
        let mut asked: BTreeMap<u64, Vec<&SignalView>> = BTreeMap::new();
        for signal in enqueues.iter().flat_map(|enqueue| &enqueue.asked.ask.signals) {
            let named = |gate: &&Life<'_>| signal.life.is_none_or(|life| life == gate.seq);
            for gate in story.lives_of(life.queue, &signal.to).filter(named) {
                asked.entry(gate.seq).or_default().push(signal);
            }
        }
        for (gate, signals) in asked {
            self.add(life, origin, gate, false, signals);
        }
    }

    fn add(
        &mut self,
        life: &'s Life<'a>,
        origin: Option<&'a Item<'a>>,
        gate: u64,
        is_certain: bool,
        signals: Vec<&'a SignalView>,
    ) {
        let member = Member { life, origin, is_certain, signals, outcome: outcome(life) };
        self.0.entry((life.queue, gate)).or_default().push(member);
    }
}

fn outcome(life: &Life<'_>) -> Option<Status> {
    // Sightings are sorted by revision.
    let shown = life.sightings.iter().find(|seen| seen.is_terminal()).map(|seen| seen.seen.status);
    let is_cancelled = || {
        let may_finish = life.acts.iter().any(|act| act.may_be_done() && finish_of(act).is_some());
        life.removals().next().is_some() && !may_finish
    };
    shown.or_else(|| is_cancelled().then_some(Status::Cancelled))
}

impl<'a> Member<'_, 'a> {
    /// The earliest answer that proves that it ended.
    pub(super) fn proof(&self) -> Option<&'a Item<'a>> {
        let shown = self.life.sightings.iter().filter(|seen| seen.is_terminal()).map(|seen| seen.item);
        shown.chain(self.life.removals()).min_by_key(|item| item.end)
    }

    /// The outcomes with which it may have ended before the other item took effect.
    pub(super) fn outcomes_before(&self, story: &Story<'_>, by: &Item<'_>) -> Vec<Status> {
        let finished = self.life.may_precede(by).filter_map(finish_of);
        let removed = self.life.may_precede(by).filter(|act| act.removes()).map(|_| Status::Cancelled);
        let shown = self.life.sightings.iter().filter(|seen| seen.is_terminal() && seen.item.begin < by.end);
        let mut all: Vec<Status> =
            finished.chain(removed).chain(shown.map(|seen| seen.seen.status)).collect();
        if story.may_be_cancelled_unheard(self.life, by) {
            all.push(Status::Cancelled);
        }
        match self.outcome {
            Some(outcome) if !all.is_empty() => vec![outcome],
            _ => all,
        }
    }

    /// The outcome that the gate counts, if it is known.
    pub(super) fn counted_outcome(&self) -> Option<Status> {
        if self.is_tolerant() {
            Some(Status::Completed)
        } else {
            self.outcome.filter(|_| !self.may_tolerate())
        }
    }

    /// As what the gate may count it, if it ended with this outcome.
    pub(super) fn may_count_as(&self, outcome: Status) -> impl Iterator<Item = Status> {
        let strict = (!self.is_tolerant()).then_some(outcome);
        strict.into_iter().chain(self.may_tolerate().then_some(Status::Completed))
    }

    fn is_tolerant(&self) -> bool {
        self.signals.iter().all(|signal| signal.tolerant)
    }

    fn may_tolerate(&self) -> bool {
        self.signals.iter().any(|signal| signal.tolerant)
    }

    /// Whether it certainly raised the gate.
    pub(super) fn raises(&self) -> bool {
        self.is_certain && self.signals.iter().all(|signal| signal.raises)
    }

    pub(super) fn may_raise(&self) -> bool {
        self.signals.iter().any(|signal| signal.raises)
    }

    /// Whether it certainly wakes the gate's job, if it does not complete.
    pub(super) fn wakes(&self) -> bool {
        self.is_certain && self.signals.iter().all(|signal| signal.urgent && !signal.tolerant)
    }

    pub(super) fn may_wake(&self) -> bool {
        self.signals.iter().any(|signal| signal.urgent && !signal.tolerant)
    }

    /// Whether it follows a step of the gate's own job.
    pub(super) fn may_follow(&self, gate: &Life<'_>) -> bool {
        self.origin.is_none_or(|origin| {
            origin.asked.op == Op::Then && origin.asked.ask.parent.is_none_or(|parent| parent == gate.seq)
        })
    }

    /// Whether it was certainly enqueued before the other item began.
    pub(super) fn exists_before(&self, other: &Item<'_>) -> bool {
        self.life.birth.is_some_and(|birth| birth.precedes(other))
            || self.life.sightings.iter().any(|seen| seen.item.precedes(other))
    }

    /// Whether it may have been enqueued before the other item ended.
    pub(super) fn may_exist_before(&self, other: &Item<'_>) -> bool {
        self.origin.is_none_or(|origin| origin.begin < other.end)
    }
}
