//! What happens to a member: a job with a signal to the coordinator that raises its gate.

use crate::{
    rules::{Defect, Property},
    state::{CHILD, PARENT, Phase, State, TOLERANT, URGENT},
    step::{Outcomes, Step},
};
use queue_core::EndOutcome::{self as Outcome, Cancelled, Completed, Failed};

const OPEN_TRANSACTIONS_MAX: usize = 2;

pub(crate) fn steps(state: &State, index: usize, defect: Option<Defect>, out: &mut Outcomes) {
    let mut push = |what, after| out.push((Step::Member(index, what), after));
    let with = |phase| Ok(with_phase(state, index, phase));
    let end = |outcome| Ok(ended(state, index, outcome, true));
    let may_open = state.open_transactions() < OPEN_TRANSACTIONS_MAX;
    match state.members[index].phase {
        Phase::Absent if index == CHILD => {}
        Phase::Absent if index == PARENT => push("is enqueued", enqueued(state, index, defect)),
        Phase::Absent if may_open => push("is enqueued, uncommitted", enqueuing(state, index, defect)),
        Phase::Absent => {}
        Phase::Enqueuing => {
            push("is committed", accepted(state, index));
            push("is rolled back", with(Phase::Absent));
        }
        Phase::Late => push("is enqueued after the signal", accepted(state, index)),
        Phase::Waiting => push("is claimed", with(Phase::Leased)),
        Phase::Leased => {
            push("is requeued", Ok(requeued(state, index, defect)));
            match index {
                PARENT if may_open => {
                    push("completes, uncommitted", with(Phase::Settling));
                    push("completes with a child, uncommitted", Ok(settling_with_child(state)));
                }
                PARENT => {}
                URGENT => {
                    push("completes", end(Completed));
                    push("fails for the last time", end(Failed));
                }
                CHILD => push("completes", end(Completed)),
                _ => {
                    push("completes", end(Completed));
                    let speaks = defect != Some(Defect::SilentLapse);
                    push("lapses for the last time", Ok(ended(state, index, Failed, speaks)));
                }
            }
        }
        Phase::Settling => {
            push("has its completion committed", end(Completed));
            push("has its completion rolled back", with(Phase::Leased));
        }
        Phase::SettlingWithChild => {
            push("has its completion and child committed", ended_with_child(state, defect));
            push("has its completion and child rolled back", with(Phase::Leased));
        }
        Phase::Ended => ended_steps(state, index, defect, out),
    }
    withdrawals(state, index, defect, out);
    if defect == Some(Defect::DuplicateRaises) && state.members[index].is_accepted && !state.has_ended() {
        let mut after = *state;
        after.slips.raises += 1;
        out.push((Step::Member(index, "is enqueued again"), Ok(after)));
    }
}

/// Ends by others than the worker: cancel, expiry, delete. Each member has some of the ways to
/// end, so that the walk stays small: all take the same path to the gate.
fn withdrawals(state: &State, index: usize, defect: Option<Defect>, out: &mut Outcomes) {
    let member = &state.members[index];
    if !member.is_unfinished() {
        return;
    }
    let mut push =
        |what, speaks| out.push((Step::Member(index, what), Ok(ended(state, index, Cancelled, speaks))));
    if index == TOLERANT {
        push("is cancelled", true);
        push("is deleted", defect != Some(Defect::SilentDelete));
        if member.phase == Phase::Waiting {
            push("expires", defect != Some(Defect::SilentExpiry));
        }
    }
}

fn ended_steps(state: &State, index: usize, defect: Option<Defect>, out: &mut Outcomes) {
    let mut push = |what, after| out.push((Step::Member(index, what), Ok(after)));
    let member = &state.members[index];
    if index == PARENT && !member.is_redriven {
        let mut after = with_phase(state, index, Phase::Waiting);
        after.members[index].is_redriven = true;
        after.members[index].is_sent &= defect != Some(Defect::RedriveSignalsAgain);
        push("is redriven", after);
    }
    if state.has_ended() {
        return;
    }
    match defect {
        Some(Defect::ReplaySignals) => push("has its settle sent again", signalled(state, index, Completed)),
        Some(Defect::StaleDecisionSignals) => {
            push("has a settle sent that was decided before", signalled(state, index, Failed));
        }
        Some(Defect::EndedMemberReplaced) => {
            let mut after = with_phase(state, index, Phase::Waiting);
            after.members[index].is_sent = false;
            after.slips.raises += 1;
            push("is replaced by another life", after);
        }
        _ => {}
    }
}

fn with_phase(state: &State, index: usize, phase: Phase) -> State {
    let mut after = *state;
    after.members[index].phase = phase;
    after
}

/// Whether the gate takes a raise, judged from row and slips of one snapshot, under the lock.
fn is_taken(state: &State, defect: Option<Defect>) -> Result<bool, Property> {
    let taken = match defect {
        _ if state.has_ended() => return Ok(false),
        Some(Defect::CompleteGateRaised) => true,
        Some(Defect::RaiseJudgedByTheRow) => !state.gate.is_complete(),
        _ => !state.seen().is_complete(),
    };
    if taken && state.seen().is_complete() { Err(Property::NeverRaisedWhenComplete) } else { Ok(taken) }
}

/// The lock is held and the raise is written, and no other transaction sees it. An orphan leaves
/// the very state that it found.
fn enqueuing(state: &State, index: usize, defect: Option<Defect>) -> Result<State, Property> {
    let orphan = if defect == Some(Defect::OrphanStored) { Phase::Waiting } else { Phase::Absent };
    let phase = if is_taken(state, defect)? { Phase::Enqueuing } else { orphan };
    Ok(with_phase(state, index, phase))
}

fn enqueued(state: &State, index: usize, defect: Option<Defect>) -> Result<State, Property> {
    if is_taken(state, defect)? { accepted(state, index) } else { Ok(*state) }
}

fn accepted(state: &State, index: usize) -> Result<State, Property> {
    let mut after = *state;
    accept(&mut after, index)?;
    Ok(after)
}

/// The member stands, its raise with it. The raise of a life that has ended is dropped.
pub(crate) fn accept(state: &mut State, index: usize) -> Result<(), Property> {
    if state.has_opened {
        return Err(Property::NeverRaisedAfterItOpened);
    }
    state.members[index].phase = Phase::Waiting;
    state.members[index].is_accepted = true;
    state.slips.raises += u8::from(!state.has_ended());
    Ok(())
}

fn requeued(state: &State, index: usize, defect: Option<Defect>) -> State {
    let after = with_phase(state, index, Phase::Waiting);
    if defect == Some(Defect::SignalsOnRequeue) { signalled(&after, index, Failed) } else { after }
}

/// The child is judged where it is enqueued; an orphan leaves a plain completion.
fn settling_with_child(state: &State) -> State {
    let takes =
        state.members[CHILD].phase == Phase::Absent && !state.has_ended() && !state.seen().is_complete();
    with_phase(state, PARENT, if takes { Phase::SettlingWithChild } else { Phase::Settling })
}

/// Patch, followers with their raises, then signals.
fn ended_with_child(state: &State, defect: Option<Defect>) -> Result<State, Property> {
    if defect == Some(Defect::SignalsBeforeRaises) {
        return Ok(with_phase(&ended(state, PARENT, Completed, true), CHILD, Phase::Late));
    }
    if state.members[CHILD].phase == Phase::Absent {
        return Ok(ended(&accepted(state, CHILD)?, PARENT, Completed, true));
    }
    Ok(ended(state, PARENT, Completed, true))
}

fn ended(state: &State, index: usize, outcome: Outcome, speaks: bool) -> State {
    let outcome = if index == TOLERANT { Completed } else { outcome };
    let mut after = with_phase(state, index, Phase::Ended);
    let member = &mut after.members[index];
    let owes = !member.is_sent;
    member.is_sent = true;
    member.first_end.get_or_insert(outcome);
    if owes && speaks { signalled(&after, index, outcome) } else { after }
}

/// A slip with the outcome; to a life that has ended, none.
fn signalled(state: &State, index: usize, outcome: Outcome) -> State {
    let mut after = *state;
    if state.has_ended() {
        return after;
    }
    let slips = if index == URGENT { &mut after.slips.urgent } else { &mut after.slips.plain };
    slips[outcome as usize] += 1;
    after
}
