//! What happens to the coordinator: the job that has the gate.

use crate::{
    fold::open,
    member::accept,
    rules::{Defect, Property},
    state::{CHILD, Phase, Run, State},
    step::{Outcomes, Step},
};

pub(crate) fn steps(state: &State, defect: Option<Defect>, out: &mut Outcomes) {
    let mut push = |what, after| out.push((Step::Coordinator(what), after));
    let run = |run| Ok(State { run, ..*state });
    if !state.gate.is_sealed {
        push("is sealed", seal(state, defect));
    }
    match state.run {
        Run::TimeOut => {
            push("times out", run(Run::Due));
            push("is promoted", Ok(promoted(state)));
            push("is cancelled", run(Run::Ended));
        }
        Run::BackOff => {
            push("has backed off", run(Run::Due));
            push("is promoted", Ok(promoted(state)));
        }
        Run::Due => push("is claimed", Ok(State { run: Run::Leased, epoch: state.epoch + 1, ..*state })),
        Run::Leased => {
            push("is released", Ok(released(state, Run::Due, defect)));
            push("is released with a delay", Ok(released(state, Run::BackOff, defect)));
            push("fails and backs off", run(Run::BackOff));
            push("lapses", run(Run::Due));
            push("ends", run(Run::Ended));
            suspends(state, defect, out);
        }
        Run::Ended => {}
    }
}

fn suspends(state: &State, defect: Option<Defect>, out: &mut Outcomes) {
    if state.has_suspended {
        return;
    }
    let mut push = |what, after| out.push((Step::Coordinator(what), after));
    push("suspends", Ok(suspended(state, defect)));
    let mut sealed = suspended(state, defect);
    sealed.gate.is_sealed = true;
    push("suspends and seals", Ok(sealed));
    if state.members[CHILD].phase == Phase::Absent {
        push("suspends with a child that raises it", suspended_with_child(state, defect));
    }
}

/// A seal never opens, since it does not lock out those who raise: it leaves a slip.
fn seal(state: &State, defect: Option<Defect>) -> Result<State, Property> {
    let mut after = *state;
    after.gate.is_sealed = true;
    after.slips.looks = looks(state, Defect::SealLeavesNoSlip, defect);
    let closed = after.run == Run::TimeOut && after.gate.is_closed(after.epoch);
    if defect == Some(Defect::SealOpensByTheRow) && closed && after.gate.is_complete() {
        open(&mut after, true)?;
    }
    Ok(after)
}

fn looks(state: &State, silent: Defect, defect: Option<Defect>) -> u8 {
    if defect == Some(silent) { state.slips.looks } else { 1 }
}

fn promoted(state: &State) -> State {
    let mut after = State { run: Run::Due, ..*state };
    after.gate.closed_at = None;
    after
}

fn released(state: &State, run: Run, defect: Option<Defect>) -> State {
    let mut after = State { run, ..*state };
    if defect == Some(Defect::ReleaseCloses) {
        after.gate.closed_at = Some(after.epoch);
    }
    after
}

fn suspended(state: &State, defect: Option<Defect>) -> State {
    let mut after = State { run: Run::TimeOut, has_suspended: true, ..*state };
    after.gate.closed_at = Some(after.epoch);
    after.slips.looks = looks(state, Defect::SuspendLeavesNoSlip, defect);
    after
}

/// The holder's own follower may always raise its gate, complete or not.
fn suspended_with_child(state: &State, defect: Option<Defect>) -> Result<State, Property> {
    if defect == Some(Defect::HoldersRaiseRefused) && state.seen().is_complete() {
        return Err(Property::HoldersMayRaise);
    }
    let mut after = suspended(state, defect);
    after.has_opened = false;
    accept(&mut after, CHILD)?;
    Ok(after)
}
