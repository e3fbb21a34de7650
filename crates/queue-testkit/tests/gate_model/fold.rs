//! A fold: a claim takes slips of the gate into its row, and opens it.

use crate::{
    rules::{Defect, Property},
    state::{Run, Slips, State},
};
use queue_core::{
    ContentType, EndOutcome as Outcome, Gate, JobId, JobMeta, Kind, NewJob, Payload, QueueName, Seq,
    State as JobState, Tally, Timestamp,
    lifecycle::{self, Slips as NotedSlips},
};
use std::sync::LazyLock;

/// A walk has no clock.
const NOW: Timestamp = Timestamp::from_millis(0);

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

/// The state after a fold, if it does anything; or what it broke. What it counts and whether it
/// opens is the core's.
pub(crate) fn fold(before: &State, take: Take, defect: Option<Defect>) -> Result<Option<State>, Property> {
    let locked = before.is_locked() && defect != Some(Defect::FoldBesideOpenRaise);
    if locked && defect != Some(Defect::LockedFoldTakesSlips) {
        return Ok(None);
    }
    let Some(taken) = taken(before.slips, take) else { return Ok(None) };
    let mut state = *before;
    state.slips = less(before.slips, taken);
    let is_all = state.slips.is_empty() || defect == Some(Defect::PartialFoldOpens);
    let noted = noted(taken);
    let is_behind = is_behind(before, defect);
    let mut job = job(before, is_behind);
    let opens = lifecycle::fold(&mut job, &noted, is_all && !locked, NOW);
    let counted = job.gate.as_deref().copied().unwrap_or_default();
    state.gate = Gate { closed_at: before.gate.closed_at, ..counted };
    if opens {
        let by_count = state.gate.is_complete();
        open(&mut state, by_count)?;
        return Ok(Some(state));
    }
    // What is left behind remembers that an urgent signal has come.
    state.slips.wakes |= noted.wakes && !is_all && defect != Some(Defect::PartialFoldLosesUrgent);
    if noted.wakes && is_behind && !locked && !state.slips.wakes {
        return Err(Property::NoUrgentSignalLost);
    }
    Ok(Some(state))
}

/// Whether the job waits, behind its gate closed at the present epoch.
fn is_behind(state: &State, defect: Option<Defect>) -> bool {
    let waits = matches!(state.run, Run::Due | Run::BackOff | Run::TimeOut);
    waits && (state.gate.is_closed(state.epoch) || defect == Some(Defect::LateSignalEndsBackOff))
}

/// The coordinator's job, as the core's fold takes it.
fn job(state: &State, is_behind: bool) -> JobMeta {
    let mut job = TEMPLATE.clone();
    job.state = if is_behind { JobState::Queued } else { JobState::Processing };
    job.epoch = state.epoch;
    let closed_at = is_behind.then_some(state.epoch);
    job.gate = Some(Box::new(Gate { closed_at, ..state.gate }));
    job
}

static TEMPLATE: LazyLock<JobMeta> = LazyLock::new(|| {
    let payload = Payload::new("", ContentType::from_static("text/plain"));
    let new = NewJob::new(JobId::from_static("coordinator"), Kind::unnamed(), payload);
    JobMeta::begin(QueueName::from_static("q"), &new, Seq::new(1), NOW)
});

/// The slips in the core's terms.
fn noted(taken: Slips) -> NotedSlips {
    let came = |outcome: Outcome| u64::from(taken.plain[outcome as usize] + taken.urgent[outcome as usize]);
    let tally = Tally {
        completed: came(Outcome::Completed),
        failed: came(Outcome::Failed),
        cancelled: came(Outcome::Cancelled),
    };
    let is_unhappy = |outcome: Outcome| taken.urgent[outcome as usize] > 0;
    let wakes = taken.wakes || is_unhappy(Outcome::Failed) || is_unhappy(Outcome::Cancelled);
    NotedSlips { raises: u64::from(taken.raises), tally, wakes, seen: None }
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
    let leaves_some = taken != Slips { wakes: false, ..slips };
    (!taken.is_empty() && (take == Take::All || leaves_some)).then_some(taken)
}

fn less(slips: Slips, taken: Slips) -> Slips {
    let mut left = slips;
    left.raises -= taken.raises;
    left.looks -= taken.looks;
    left.wakes &= !taken.wakes;
    for index in 0..3 {
        left.plain[index] -= taken.plain[index];
        left.urgent[index] -= taken.urgent[index];
    }
    left
}
