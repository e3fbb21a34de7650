//! The steps that lead from one state to others.

use crate::{
    Defect,
    state::{CLAIMERS, Claim, JOBS, PARTITION_OF, PARTITIONS, Phase, Seen, State},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Enqueue(usize),
    CommitEnqueue(usize),
    RollBackEnqueue(usize),
    Cancel(usize),
    End(usize),
    CommitEnd { job: usize, returns: bool },
    RollBackEnd(usize),
    SetLimit { partition: usize, limit: usize },
    Wait(usize),
    TakeSlips { claimer: usize, all: bool },
    Look { claimer: usize, most: usize },
    CommitClaim { claimer: usize, leased: [usize; PARTITIONS] },
    RollBackClaim(usize),
}

type Steps = Vec<(Step, State)>;

pub(crate) fn successors(state: &State, defect: Option<Defect>) -> Steps {
    let mut steps = Steps::new();
    for job in 0..JOBS {
        of_job(state, job, defect, &mut steps);
    }
    for claimer in 0..CLAIMERS {
        of_claimer(state, claimer, defect, &mut steps);
    }
    of_limits(state, defect, &mut steps);
    steps.into_iter().map(|(step, after)| (step, after.canonical())).collect()
}

fn slip(state: &mut State, partition: usize) {
    state.slips[partition] = (state.slips[partition] + 1).min(2);
}

fn of_job(state: &State, job: usize, defect: Option<Defect>, steps: &mut Steps) {
    let mut to = |step: Step, phase: Phase, leaves_slip: bool, returns: bool| {
        let mut after = *state;
        after.jobs[job] = phase;
        after.returns -= u8::from(returns);
        if leaves_slip {
            slip(&mut after, PARTITION_OF[job]);
        }
        steps.push((step, after));
    };
    match state.jobs[job] {
        Phase::Absent => to(Step::Enqueue(job), Phase::Enqueuing, false, false),
        Phase::Enqueuing => {
            let tells = defect != Some(Defect::SilentEnqueue);
            to(Step::CommitEnqueue(job), Phase::Waiting, tells, false);
            to(Step::RollBackEnqueue(job), Phase::Absent, false, false);
        }
        Phase::Waiting => to(Step::Cancel(job), Phase::Done, false, false),
        Phase::Leased => to(Step::End(job), Phase::Ending, false, false),
        Phase::Ending => {
            let tells = defect != Some(Defect::SilentEnd);
            to(Step::CommitEnd { job, returns: false }, Phase::Done, tells, false);
            if state.returns > 0 {
                to(Step::CommitEnd { job, returns: true }, Phase::Waiting, tells, true);
            }
            to(Step::RollBackEnd(job), Phase::Leased, false, false);
        }
        Phase::Claimed(_) | Phase::Done => {}
    }
}

/// Limits are set in one step under the lock, as others see it.
fn of_limits(state: &State, defect: Option<Defect>, steps: &mut Steps) {
    let is_free = has_no_lock(state) || defect == Some(Defect::LimitsWithoutTheLock);
    if state.changes == 0 || !is_free {
        return;
    }
    for partition in 0..PARTITIONS {
        for limit in 0..=2 {
            if limit != state.limits[partition] {
                let mut after = State { changes: state.changes - 1, ..*state };
                after.limits[partition] = limit;
                if defect != Some(Defect::SilentRaise) {
                    slip(&mut after, partition);
                }
                steps.push((Step::SetLimit { partition, limit }, after));
            }
        }
    }
}

/// Whether the lock of the turns is free.
fn has_no_lock(state: &State) -> bool {
    state.claims.iter().all(|claim| matches!(claim, Claim::Idle | Claim::Waits(_)))
}

fn of_claimer(state: &State, claimer: usize, defect: Option<Defect>, steps: &mut Steps) {
    let with = |claim: Claim| {
        let mut after = *state;
        after.claims[claimer] = claim;
        after
    };
    let may_lock = has_no_lock(state) || defect == Some(Defect::NoLock);
    match state.claims[claimer] {
        Claim::Idle => {
            if defect == Some(Defect::SnapshotBeforeTheLock) {
                steps.push((Step::Wait(claimer), with(Claim::Waits(state.snapshot()))));
            } else if may_lock {
                takes(state, claimer, None, defect, steps);
            }
        }
        Claim::Waits(seen) if may_lock => takes(state, claimer, Some(seen), defect, steps),
        Claim::Waits(_) => {}
        Claim::Took { taken, seen } => {
            for most in [1, 3] {
                steps.push((Step::Look { claimer, most }, look(state, claimer, most, taken, seen, defect)));
            }
            steps.push((Step::RollBackClaim(claimer), roll_back(state, claimer, taken, defect)));
        }
        Claim::Looked { taken, open } => {
            let mut after = with(Claim::Idle);
            after.open = open;
            let mut leased = [0; PARTITIONS];
            for (job, partition) in after.jobs.iter_mut().zip(PARTITION_OF) {
                if *job == Phase::Claimed(claimer) {
                    *job = Phase::Leased;
                    leased[partition] += 1;
                }
            }
            if defect == Some(Defect::SlipsTakenAfterTheLook) {
                after.slips = [0; PARTITIONS];
            }
            steps.push((Step::CommitClaim { claimer, leased }, after));
            steps.push((Step::RollBackClaim(claimer), roll_back(state, claimer, taken, defect)));
        }
    }
}

/// It gets the lock and takes all slips that its statement sees, or as many as it may.
fn takes(state: &State, claimer: usize, seen: Option<Seen>, defect: Option<Defect>, steps: &mut Steps) {
    let parts = [(true, state.slips), (false, state.slips.map(|slips| slips.min(1)))];
    for (all, taken) in parts {
        let mut after = *state;
        let taken = if defect == Some(Defect::SlipsTakenAfterTheLook) { [0; PARTITIONS] } else { taken };
        // Two stand for more, so what is left of them may be one.
        for (slips, taken) in after.slips.iter_mut().zip(taken) {
            *slips -= taken;
        }
        after.claims[claimer] = Claim::Took { taken, seen };
        steps.push((Step::TakeSlips { claimer, all }, after));
    }
}

/// It looks at the partitions that are open or have slips, leases what they have room for, and
/// writes which of them have more.
fn look(
    state: &State,
    claimer: usize,
    most: usize,
    taken: [u8; PARTITIONS],
    seen: Option<Seen>,
    defect: Option<Defect>,
) -> State {
    let seen = seen.unwrap_or_else(|| state.snapshot());
    let mut after = *state;
    let mut open = state.open;
    let mut left = most;
    for partition in 0..PARTITIONS {
        let has_slip = taken[partition] > 0
            || (defect == Some(Defect::SlipsTakenAfterTheLook) && state.slips[partition] > 0);
        if !has_slip && !state.open[partition] {
            continue;
        }
        let mut room = seen.limits[partition].saturating_sub(seen.leases[partition]);
        let mut has_more = false;
        for job in (0..JOBS).filter(|job| PARTITION_OF[*job] == partition) {
            // A row that was deleted or is locked is passed over.
            if !seen.waits[job] || after.jobs[job] != Phase::Waiting {
                continue;
            }
            if room > 0 && left > 0 {
                after.jobs[job] = Phase::Claimed(claimer);
                (room, left) = (room - 1, left - 1);
            } else {
                has_more = true;
            }
        }
        open[partition] = has_more && room > 0;
    }
    after.claims[claimer] = Claim::Looked { taken, open };
    after
}

/// It is killed: what it leased and took is as it was.
fn roll_back(state: &State, claimer: usize, taken: [u8; PARTITIONS], defect: Option<Defect>) -> State {
    let mut after = *state;
    for job in &mut after.jobs {
        if *job == Phase::Claimed(claimer) {
            *job = Phase::Waiting;
        }
    }
    if defect != Some(Defect::RollbackLosesSlips) {
        for (slips, taken) in after.slips.iter_mut().zip(taken) {
            *slips = (*slips + taken).min(2);
        }
    }
    after.claims[claimer] = Claim::Idle;
    after
}
