//! The walk: breadth first over all states, each checked, until one breaks a property.

use crate::{
    fold::{Take, fold},
    rules::{Defect, Property},
    state::{Member, Run, State},
    step::{Step, successors},
};
use queue_core::{EndOutcome as Outcome, Tally};
use std::{
    collections::HashSet,
    fmt::Write,
    hash::{BuildHasherDefault, Hasher},
};

/// A walk that comes to more states is cut: its bounds were lost.
const STATES_MAX: usize = 5_000_000;

#[derive(Debug)]
pub(crate) struct Walk {
    pub(crate) states: usize,
    /// Those in which the gate opened for all members at the end of its second round: a walk
    /// without them would find nothing for a poor reason.
    pub(crate) with_all: usize,
    pub(crate) violation: Option<(Property, String)>,
}

#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u128(u128::from(byte));
        }
    }

    fn write_u128(&mut self, value: u128) {
        let folded = (value as u64) ^ ((value >> 64) as u64).rotate_left(29);
        let mixed = (self.0 ^ folded).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

struct Visit {
    state: State,
    from: usize,
    step: Option<Step>,
}

pub(crate) fn walk(defect: Option<Defect>) -> Walk {
    let start = State::start().canonical();
    let mut seen = HashSet::<u128, BuildHasherDefault<Mix>>::default();
    seen.insert(start.pack());
    let mut visits = vec![Visit { state: start, from: 0, step: None }];
    let mut next = 0;
    let mut out = Vec::new();
    while next < visits.len() {
        successors(&visits[next].state, defect, &mut out);
        for (step, after) in out.drain(..) {
            let state = match after.and_then(|state| check(&state, defect).map(|()| state.canonical())) {
                Ok(state) => state,
                Err(property) => {
                    let trace = trace(&visits, next, step);
                    return walked(&visits, Some((property, trace)));
                }
            };
            if seen.insert(state.pack()) {
                visits.push(Visit { state, from: next, step: Some(step) });
            }
        }
        assert!(visits.len() < STATES_MAX, "the walk has lost its bounds");
        next += 1;
    }
    walked(&visits, None)
}

fn walked(visits: &[Visit], violation: Option<(Property, String)>) -> Walk {
    let has_all = |state: &State| state.members.iter().all(|member| member.is_accepted);
    let is_full = |state: &State| state.has_opened && state.has_suspended && has_all(state);
    let with_all = visits.iter().filter(|visit| is_full(&visit.state)).count();
    Walk { states: visits.len(), with_all, violation }
}

/// What holds in each state while the coordinator lives.
fn check(state: &State, defect: Option<Defect>) -> Result<(), Property> {
    let of_orphans = |member: &Member| member.is_unfinished() && !member.is_accepted;
    if state.members.iter().any(of_orphans) {
        return Err(Property::OrphansLeaveNothing);
    }
    if state.has_ended() {
        return Ok(());
    }
    let seen = state.seen();
    let accepted = state.members.iter().filter(|member| member.is_accepted).count();
    if seen.needs != accepted as u64 {
        return Err(Property::EachMemberRaisesOnce);
    }
    let tally = first_ends(state);
    if seen.tally != tally || seen.signals != tally.completed + tally.failed + tally.cancelled {
        return Err(Property::EachEndCountsOnce);
    }
    if is_stuck(state, defect)? { Err(Property::NeverStuck) } else { Ok(()) }
}

fn first_ends(state: &State) -> Tally {
    let mut tally = Tally::default();
    for end in state.members.iter().filter_map(|member| member.first_end) {
        match end {
            Outcome::Completed => tally.completed += 1,
            Outcome::Failed => tally.failed += 1,
            Outcome::Cancelled => tally.cancelled += 1,
        }
    }
    tally
}

/// All have ended, the gate is sealed and closed, no transaction is open, and the next fold leaves
/// it closed; a gate without slips is not folded.
fn is_stuck(state: &State, defect: Option<Defect>) -> Result<bool, Property> {
    let is_closed = state.run == Run::TimeOut && state.gate.is_closed(state.epoch);
    let has_all = state.gate.is_sealed && !state.members.iter().any(|member| member.is_awaited());
    if !is_closed || !has_all || state.open_transactions() > 0 {
        return Ok(false);
    }
    let folded = fold(state, Take::All, defect)?;
    Ok(folded.is_none_or(|after| after.gate.closed_at.is_some()))
}

fn trace(visits: &[Visit], last: usize, step: Step) -> String {
    let mut steps = vec![step];
    let mut at = last;
    while let Some(step) = visits[at].step {
        steps.push(step);
        at = visits[at].from;
    }
    let mut text = String::new();
    for (number, step) in steps.iter().rev().enumerate() {
        writeln!(text, "{:>3}. {step}", number + 1).expect("a string takes all");
    }
    text
}
