//! What a step does to the gates of jobs: closing, sealing, raising, counting, opening.
//!
//! The order in a step is: the patch of its own job, its followers with their raises, then
//! [`look`], then the end signals. So a member that enqueues a child and ends never opens the gate
//! between the two.

use crate::{
    EndOutcome, EndSignal, Gate, JobMeta, Signalling, Timestamp,
    lifecycle::{Patch, Requeue},
};

/// The end signals that a transition sends, once it is written: how the job ends, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Signals {
    /// How the job ends.
    pub outcome: EndOutcome,
    /// How many there are.
    pub count: u8,
}

/// How a suspend closes the gate of its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CloseGate {
    /// How many signals the gate needs in all from now on; `None` keeps that.
    pub needs: Option<u64>,
    /// Seals the gate; one that is sealed stays so.
    pub seals: bool,
    /// Whether urgent signals open the gate.
    pub heeds_urgent: bool,
    /// How many signals of jobs that did not complete the holder has seen. If more have come, and
    /// the gate heeds urgent ones, the job is due at once: an urgent one among them would have
    /// opened the gate, and a gate does not remember which was urgent.
    pub not_completed_seen: u64,
}

/// What a job did with a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Received {
    /// The job has ended, or has no gate.
    Dropped,
    /// The gate counts one more. The revision stays: else an operator's change of a job that gets
    /// many signals would always be stale.
    Counted,
    /// The gate counts one more and opened, so the job is due, and its revision has grown.
    Opened,
}

impl Signals {
    /// Those that the job sends if this patch is applied to it.
    pub(super) fn of(job: &JobMeta, patch: &Patch) -> Option<Self> {
        let Signalling::Owed(count) = job.signalling else { return None };
        let outcome = match patch {
            Patch::Finish(finish) => EndOutcome::of(finish.state)?,
            // An ended job with signals always leaves a record, so this is a delete.
            Patch::Remove => EndOutcome::Cancelled,
            _ => return None,
        };
        Some(Self { outcome, count })
    }
}

/// Counts an end signal in the job that it is to.
pub fn receive(job: &mut JobMeta, signal: &EndSignal, outcome: EndOutcome, now: Timestamp) -> Received {
    if has_ended(job, now) {
        return Received::Dropped;
    }
    let Some(gate) = &mut job.gate else { return Received::Dropped };
    let is_urgent = gate.receive(outcome, signal.tolerant, signal.urgent);
    let opens = is_urgent || gate.is_complete();
    if opens && gate.is_closed(job.epoch) {
        open(job, now);
        return Received::Opened;
    }
    Received::Counted
}

/// Makes the gate of a job need one signal more, for a job that is being enqueued. False if it
/// takes none: the job has ended, has no gate, or has a gate that is complete. `by_itself`: the
/// enqueue follows a step of this very job by its holder, and so it always takes one, and gets a
/// sealed gate if it has none. So a job can wait for children in rounds.
pub fn raise(job: &mut JobMeta, by_itself: bool, now: Timestamp) -> bool {
    if has_ended(job, now) {
        return false;
    }
    match &mut job.gate {
        Some(gate) if by_itself || !gate.is_complete() => gate.raise(),
        None if by_itself => {
            let gate = Gate { needs: 1, is_sealed: true, heeds_urgent: true, ..Gate::default() };
            job.gate = Some(Box::new(gate));
        }
        _ => return false,
    }
    true
}

/// Opens the gate of a transition's own job, if it is complete already when it was closed or
/// sealed. True if it opened. It comes after the followers of the transition, which may raise it.
pub fn look(job: &mut JobMeta, patch: &Patch, now: Timestamp) -> bool {
    let Some(gate) = job.gate.as_deref().filter(|gate| gate.is_closed(job.epoch)) else { return false };
    let seen = match patch {
        Patch::Requeue(Requeue { closes: Some(closes), .. }) => Some(closes.not_completed_seen),
        Patch::Seal => None,
        _ => return false,
    };
    let is_urgent = gate.heeds_urgent && seen.is_some_and(|seen| gate.tally.not_completed() > seen);
    let opens = gate.is_complete() || is_urgent;
    if opens {
        open(job, now);
    }
    opens
}

/// The job is to wait behind its gate from now on.
pub(super) fn close(job: &mut JobMeta, closes: &CloseGate) {
    let gate = job.gate.get_or_insert_default();
    gate.needs = closes.needs.unwrap_or(gate.needs);
    gate.is_sealed |= closes.seals;
    gate.heeds_urgent = closes.heeds_urgent;
    gate.closed_at = Some(job.epoch);
}

fn open(job: &mut JobMeta, now: Timestamp) {
    if let Some(gate) = &mut job.gate {
        gate.closed_at = None;
    }
    job.run_at = job.run_at.min(now);
    job.revision += 1;
}

fn has_ended(job: &JobMeta, now: Timestamp) -> bool {
    job.state.is_terminal() || job.is_expired(now)
}
