//! Pairs each item of a call with its answers, and bounds the time at which it may have taken
//! effect.

use super::Rules;
use crate::history::{Answer, Effect, Event, History, Op, Phase};
use std::collections::BTreeMap;

/// One item of a call, with all its answers.
#[derive(Debug)]
pub(super) struct Item<'h> {
    pub(super) asked: &'h Event,
    pub(super) answers: Vec<&'h Event>,
    outcome: CallFate,
    /// It took effect after this position in the history.
    pub(super) begin: usize,
    /// It took effect before this position; `usize::MAX` if the outcome is unknown.
    pub(super) end: usize,
    echoes: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallFate {
    Answered,
    Refused,
    Unknown,
}

/// Pairs begins and ends, and gives the parts of a transaction the outcome of the transaction.
pub(super) fn items(history: &History, rules: Rules) -> Vec<Item<'_>> {
    let mut items: Vec<Item<'_>> = Vec::new();
    let mut open: BTreeMap<(u64, u32), usize> = BTreeMap::new();
    for (place, event) in history.events().iter().enumerate() {
        let key = (event.call, event.item);
        match (event.phase, open.get(&key)) {
            (Phase::Invoke, _) => {
                open.insert(key, items.len());
                items.push(Item::begun(event, place, rules));
            }
            (_, Some(&at)) => items[at].answered(event, place),
            (_, None) => {}
        }
    }
    settle_transactions(&mut items);
    items
}

fn settle_transactions(items: &mut [Item<'_>]) {
    let ended = items.iter().filter(|item| matches!(item.asked.op, Op::Commit | Op::Rollback));
    let fates: BTreeMap<u64, (CallFate, usize)> =
        ended.filter_map(|i| Some((i.asked.ask.tx?, i.fate()))).collect();
    for item in items.iter_mut().filter(|item| !matches!(item.asked.op, Op::Commit | Op::Rollback)) {
        if let Some(tx) = item.asked.ask.tx {
            item.join(fates.get(&tx).copied().unwrap_or((CallFate::Unknown, usize::MAX)));
        }
    }
}

impl<'h> Item<'h> {
    fn begun(asked: &'h Event, begin: usize, rules: Rules) -> Self {
        let outcome = CallFate::Unknown;
        let end = usize::MAX;
        Self { asked, answers: Vec::new(), outcome, begin, end, echoes: rules.echoes }
    }

    fn answered(&mut self, event: &'h Event, place: usize) {
        match event.phase {
            Phase::Ok if event.answer != Some(Answer::Malformed) => {
                self.outcome = CallFate::Answered;
                self.end = self.end.min(place);
            }
            Phase::Fail => {
                self.outcome = CallFate::Refused;
                self.end = place;
            }
            Phase::Ok | Phase::Info | Phase::Invoke => {}
        }
        self.answers.push(event);
    }

    /// The outcome that the end of a transaction gives to its parts.
    fn fate(&self) -> (CallFate, usize) {
        let is_commit = self.asked.op == Op::Commit;
        match self.outcome {
            CallFate::Answered if is_commit => (CallFate::Answered, self.end),
            CallFate::Answered | CallFate::Refused => (CallFate::Refused, self.end),
            CallFate::Unknown => (CallFate::Unknown, usize::MAX),
        }
    }

    fn join(&mut self, (outcome, end): (CallFate, usize)) {
        if self.outcome == CallFate::Answered {
            (self.outcome, self.end) = (outcome, end);
        }
    }

    /// Whether it took effect, if at all, before the other began.
    pub(super) fn precedes(&self, other: &Self) -> bool {
        self.end < other.begin
    }

    /// Whether both were under way at some moment, so that neither need have seen the other.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        !self.precedes(other) && !other.precedes(self)
    }

    pub(super) fn is_refused(&self) -> bool {
        self.outcome == CallFate::Refused
    }

    pub(super) fn is_unknown(&self) -> bool {
        self.outcome == CallFate::Unknown
    }

    pub(super) fn is_answered(&self) -> bool {
        self.outcome == CallFate::Answered
    }

    /// The first answer.
    pub(super) fn answer(&self) -> Option<&'h Event> {
        if self.is_answered() { self.answers.first().copied() } else { None }
    }

    pub(super) fn said(&self, answer: &Answer) -> bool {
        self.answer().is_some_and(|event| event.answer.as_ref() == Some(answer))
    }

    /// Whether it is a change that certainly stands, or stood already.
    pub(super) fn is_done(&self) -> bool {
        self.said(&Answer::Done)
    }

    /// Whether it is a change that may have taken effect. A lapse that was too early may have
    /// succeeded when the call was repeated.
    pub(super) fn may_be_done(&self) -> bool {
        let late = self.echoes && self.asked.op == Op::Lapse && self.said(&Answer::Stale);
        self.is_unknown() || self.is_done() || late
    }

    /// Whether it is an enqueue that may have begun a life whose number stands in no answer.
    pub(super) fn may_have_begun_another(&self) -> bool {
        self.is_unknown() || (self.echoes && !self.is_refused())
    }

    pub(super) fn removes(&self) -> bool {
        self.asked.ask.effect == Some(Effect::Remove)
    }

    pub(super) fn time_store(&self) -> Option<i64> {
        self.answers.iter().filter_map(|answer| answer.time_store).max()
    }
}
