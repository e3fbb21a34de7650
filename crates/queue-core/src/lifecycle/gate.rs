//! What a step does to the gates of jobs: closing, sealing, raising, counting, opening.
//!
//! The order in a step is: the patch of its own job, its followers with their raises, then
//! [`look`], then the end signals. So a member that enqueues a child and ends never opens the gate
//! between the two.

use crate::{
    EndOutcome, EndSignal, Gate, JobId, JobMeta, Seq, Signalling, Tally, Timestamp,
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

/// What a store that notes raises and signals beside the gate has noted: the sums of these slips.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Slips {
    /// How many signals more the gate needs.
    pub raises: u64,
    /// How many came, by outcome.
    pub tally: Tally,
    /// Whether an urgent one of a job that did not complete is among them.
    pub wakes: bool,
    /// A suspend is among them: the most signals of jobs that did not complete that its holder has
    /// [seen](CloseGate::not_completed_seen).
    pub seen: Option<u64>,
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

/// Where the end signals of a job go that is being enqueued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addressed<T> {
    /// Those that a job will count, each with its life.
    pub signals: Vec<EndSignal>,
    /// The jobs that were raised, which are to be written if the new job is stored.
    pub raised: Vec<T>,
}

/// Finds out to which lives the signals of a new job are, and [raises](raise) the jobs that are to
/// be raised. `None` if one of these takes no raise: the new job is
/// [`Orphaned`](crate::Enqueued::Orphaned). A signal that raises nothing is left out if no job
/// would count it.
///
/// `find` reads the job with an id as the store keeps it, whose metadata is `meta` of that.
/// `holder` is the job whose own step enqueues the new one.
///
/// # Errors
/// As of `find`.
pub fn address<T, E>(
    signals: &[EndSignal],
    holder: Option<Seq>,
    now: Timestamp,
    mut find: impl FnMut(&JobId) -> Result<Option<T>, E>,
    meta: impl Fn(&mut T) -> &mut JobMeta,
) -> Result<Option<Addressed<T>>, E> {
    let mut addressed = Addressed { signals: Vec::with_capacity(signals.len()), raised: Vec::new() };
    for signal in signals {
        let mut target = find(&signal.to)?;
        let taken = target.as_mut().and_then(|target| {
            let job = meta(target);
            let is_named = signal.life.is_none_or(|life| life == job.seq);
            let by_itself = holder == Some(job.seq);
            (is_named && raise(job, by_itself, now)).then_some(job.seq)
        });
        match (taken, target) {
            (Some(life), Some(target)) => {
                addressed.signals.push(EndSignal { life: Some(life), ..signal.clone() });
                addressed.raised.extend(signal.raises.then_some(target));
            }
            _ if signal.raises => return Ok(None),
            _ => {}
        }
    }
    Ok(Some(addressed))
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

/// Counts slips in the job that they are for, as [`raise`], [`receive`] and [`look`] would have
/// done when they were written. True if the gate opened. It opens only where these are all that
/// there are: `is_all`. A caller that leaves some behind keeps [`Slips::wakes`] and [`Slips::seen`]
/// with them. A job that has ended since still counts them; a signal that comes after its end is to
/// leave none.
pub fn fold(job: &mut JobMeta, slips: &Slips, is_all: bool, now: Timestamp) -> bool {
    let has_ended = has_ended(job, now);
    let Some(gate) = &mut job.gate else { return false };
    gate.add(slips.raises, slips.tally);
    let is_unseen = slips.seen.is_some_and(|seen| gate.tally.not_completed() > seen);
    let opens = gate.is_complete() || (gate.heeds_urgent && (slips.wakes || is_unseen));
    let is_behind = job.state.is_waiting() && job.gate.as_ref().is_some_and(|gate| gate.is_closed(job.epoch));
    if opens && is_all && is_behind && !has_ended {
        open(job, now);
        return true;
    }
    false
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

#[cfg(test)]
mod tests {
    use super::{Slips, fold};
    use crate::{
        ContentType, Gate, JobId, JobMeta, Kind, NewGate, NewJob, Payload, QueueName, Seq, State, Tally,
        Timestamp,
    };

    const NOW: Timestamp = Timestamp::from_millis(5);

    fn job(needs: u64) -> JobMeta {
        let payload = Payload::new("", ContentType::from_static("x/y"));
        let new = NewJob::new(JobId::from_static("sum"), Kind::unnamed(), payload).with_gate(NewGate {
            needs,
            is_sealed: true,
            timeout: None,
        });
        JobMeta::begin(QueueName::from_static("q"), &new, Seq::new(1), Timestamp::default())
    }

    fn completed(completed: u64) -> Slips {
        Slips { tally: Tally { completed, ..Tally::default() }, ..Slips::default() }
    }

    fn gate(job: &JobMeta) -> Gate {
        *job.gate.clone().expect("it has one")
    }

    #[test]
    fn a_gate_opens_once_all_slips_are_counted_and_is_due_then() {
        let mut job = job(2);
        let revision = job.revision;
        assert!(!fold(&mut job, &completed(1), true, NOW));
        assert!(!fold(&mut job, &completed(1), false, NOW), "some are left");
        assert_eq!((gate(&job).signals, job.revision), (2, revision));
        assert!(fold(&mut job, &Slips::default(), true, NOW));
        assert_eq!((gate(&job).closed_at, job.run_at, job.revision), (None, NOW, revision + 1));
    }

    #[test]
    fn raises_count_before_signals_and_counts_end_at_their_limit() {
        let mut job = job(1);
        assert!(!fold(&mut job, &Slips { raises: 1, ..completed(1) }, true, NOW));
        fold(&mut job, &Slips { raises: u64::MAX, ..completed(0) }, true, NOW);
        assert_eq!(gate(&job).needs, u64::MAX);
    }

    #[test]
    fn an_urgent_signal_and_one_that_a_holder_has_not_seen_open_a_gate_that_heeds_them() {
        let failed = Tally { failed: 1, ..Tally::default() };
        for (slips, opens) in [
            (Slips { tally: failed, ..Slips::default() }, false),
            (Slips { tally: failed, wakes: true, ..Slips::default() }, true),
            (Slips { tally: failed, seen: Some(0), ..Slips::default() }, true),
            (Slips { tally: failed, seen: Some(1), ..Slips::default() }, false),
        ] {
            assert_eq!(fold(&mut job(9), &slips, true, NOW), opens, "{slips:?}");
            let mut deaf = job(9);
            deaf.gate.as_mut().expect("it has one").heeds_urgent = false;
            assert!(!fold(&mut deaf, &slips, true, NOW), "{slips:?}");
        }
    }

    #[test]
    fn a_job_that_runs_or_has_ended_counts_and_opens_no_gate() {
        let mut held = JobMeta { state: State::Processing, epoch: 1, ..job(1) };
        assert!(!fold(&mut held, &completed(1), true, NOW));
        assert_eq!((gate(&held).signals, gate(&held).closed_at), (1, Some(0)));
        let mut ended = JobMeta { state: State::Completed, ..job(1) };
        assert!(!fold(&mut ended, &completed(1), true, NOW));
        assert_eq!((gate(&ended).signals, gate(&ended).closed_at), (1, Some(0)));
        let mut plain = JobMeta { gate: None, ..job(1) };
        assert!(!fold(&mut plain, &completed(1), true, NOW));
    }
}
