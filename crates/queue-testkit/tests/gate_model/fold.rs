//! A fold: a claim takes slips of the gate into its row, and opens it.

use crate::{
    rules::{Defect, Property},
    state::{Run, Slips, State},
};
use queue_core::{EndOutcome as Outcome, Gate};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Take {
    All,
    /// A bounded fold: one slip, of the raises, of those with this outcome, or that says *look*.
    Raise,
    Plain(Outcome),
    Urgent(Outcome),
    Look,
}

impl Take {
    pub(crate) const EVERY: [Self; 9] = [
        Self::All,
        Self::Raise,
        Self::Plain(Outcome::Completed),
        Self::Plain(Outcome::Failed),
        Self::Plain(Outcome::Cancelled),
        Self::Urgent(Outcome::Completed),
        Self::Urgent(Outcome::Failed),
        Self::Urgent(Outcome::Cancelled),
        Self::Look,
    ];
}

/// The state after a fold, if it does anything; or what it broke.
pub(crate) fn fold(before: &State, take: Take, defect: Option<Defect>) -> Result<Option<State>, Property> {
    let locked = before.is_locked() && defect != Some(Defect::FoldBesideOpenRaise);
    if locked && defect != Some(Defect::LockedFoldTakesSlips) {
        return Ok(None);
    }
    let Some(taken) = taken(before.slips, take) else { return Ok(None) };
    let mut state = *before;
    state.slips = less(before.slips, taken);
    let wakes = receive(&mut state.gate, taken);
    if locked {
        return Ok(Some(state));
    }
    let all = state.slips.is_empty();
    let by_count = state.gate.is_complete() && (all || defect == Some(Defect::PartialFoldOpens));
    let by_urgent = wakes && (all || defect != Some(Defect::PartialFoldLosesUrgent));
    let was_closed = is_closed(before, defect);
    if was_closed && (by_count || by_urgent) {
        open(&mut state, by_count)?;
    } else if was_closed && wakes {
        return Err(Property::NoUrgentSignalLost);
    }
    Ok(Some(state))
}

/// Whether a signal may open it: it waits, closed at the present epoch.
fn is_closed(state: &State, defect: Option<Defect>) -> bool {
    let waits = matches!(state.run, Run::Due | Run::BackOff | Run::TimeOut);
    waits && (state.gate.is_closed(state.epoch) || defect == Some(Defect::LateSignalEndsBackOff))
}

/// Opens the gate, as the step that found it complete or got an urgent signal does.
pub(crate) fn open(state: &mut State, by_count: bool) -> Result<(), Property> {
    if state.run == Run::BackOff {
        return Err(Property::NoBackOffCutShort);
    }
    if by_count && (!state.gate.is_sealed || state.members.iter().any(|member| member.is_awaited())) {
        return Err(Property::NeverEarly);
    }
    state.gate.closed_at = None;
    state.run = Run::Due;
    state.has_opened |= by_count;
    Ok(())
}

/// What a fold takes of these slips; none if there are none of that sort, or no others for a
/// bounded one to leave behind.
fn taken(slips: Slips, take: Take) -> Option<Slips> {
    let mut taken = Slips::default();
    match take {
        Take::All => taken = slips,
        Take::Raise => taken.raises = slips.raises.min(1),
        Take::Plain(outcome) => taken.plain[outcome as usize] = slips.plain[outcome as usize].min(1),
        Take::Urgent(outcome) => taken.urgent[outcome as usize] = slips.urgent[outcome as usize].min(1),
        Take::Look => taken.looks = slips.looks.min(1),
    }
    (!taken.is_empty() && (take == Take::All || taken != slips)).then_some(taken)
}

fn less(slips: Slips, taken: Slips) -> Slips {
    let mut left = slips;
    left.raises -= taken.raises;
    left.looks -= taken.looks;
    for index in 0..3 {
        left.plain[index] -= taken.plain[index];
        left.urgent[index] -= taken.urgent[index];
    }
    left
}

/// Raises first, then signals, as in every step; true if one of them is an urgent signal.
fn receive(gate: &mut Gate, taken: Slips) -> bool {
    for _ in 0..taken.raises {
        gate.raise();
    }
    let mut wakes = false;
    for outcome in [Outcome::Completed, Outcome::Failed, Outcome::Cancelled] {
        for _ in 0..taken.plain[outcome as usize] {
            gate.receive(outcome, false, false);
        }
        for _ in 0..taken.urgent[outcome as usize] {
            wakes |= gate.receive(outcome, false, true);
        }
    }
    wakes
}
