//! The metadata of a job: the small part of its record, and the questions that it answers.

use crate::{
    Failure, Gate, JobId, Kind, LeaseInfo, NewJob, OnWaiting, Partition, QueueName, Reason, Seq, SharedTerms,
    Signalling, Span, State, Tags, Timestamp,
};
use bytes::Bytes;
use std::time::Duration;

/// The small and public part of a job: everything except payload, headers, result, error details
/// and token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobMeta {
    /// The queue of the job.
    pub queue: QueueName,
    /// The id within the queue.
    pub id: JobId,
    /// The number of this life of the id, given by the store; numbers only grow.
    pub seq: Seq,
    /// Grows with every write to the record.
    pub revision: u64,
    /// What the job asks for.
    pub kind: Kind,
    /// The tags by which listings find the job.
    pub tags: Tags,
    /// The priority; lower is claimed first.
    pub priority: i16,
    /// When this life was enqueued, or the first of the lives that replaced each other while they
    /// waited.
    pub created_at: Timestamp,
    /// The due time; the job is not claimed before.
    pub run_at: Timestamp,
    /// The state of the job.
    pub state: State,
    /// Why the job is Failed, or why it is Cancelled without a request.
    pub reason: Option<Reason>,
    /// The number of claims in this life; `(seq, epoch)`, compared in this order, fences outside
    /// resources.
    pub epoch: u64,
    /// Failed attempts since enqueue or redrive.
    pub failures: u32,
    /// Lapsed leases since enqueue or redrive.
    pub stalls: u32,
    /// How long the job may wait for its start, counted from [`created_at`](Self::created_at);
    /// `None` is for ever.
    pub expires_in: Option<Span>,
    /// The job does not expire any more, since it may have started, or was asked to run again. Set
    /// only on jobs with [`expires_in`](Self::expires_in).
    pub expiry_lifted: bool,
    /// What was agreed about the job, and what no store looks at.
    pub terms: SharedTerms,
    /// The lease, while the job is Processing.
    pub lease: Option<LeaseInfo>,
    /// When the job was last claimed; `None` if and only if it never was.
    pub claimed_at: Option<Timestamp>,
    /// A cancel was requested while the job ran.
    pub cancel_requested: bool,
    /// A caller waits, or waited, for the outcome.
    pub awaited: bool,
    /// The progress that the handler last reported, as encoded by the handler. It takes one
    /// pointer, since most jobs have none.
    pub progress: Option<Box<Bytes>>,
    /// The last failure, without details.
    pub last_error: Option<Failure>,
    /// When a failure or a stall was last charged; present if and only if
    /// [`last_error`](Self::last_error) is.
    pub failed_at: Option<Timestamp>,
    /// When the job became terminal.
    pub finished_at: Option<Timestamp>,
    /// The purge time, from which the record counts as absent; `None` on a terminal job means
    /// never.
    pub purge_at: Option<Timestamp>,
    /// What the job waits or waited for. It takes one pointer, since most jobs have none.
    pub gate: Option<Box<Gate>>,
    /// Whether the job has end signals, and whether they are sent.
    pub signalling: Signalling,
    /// The partition in which the job takes its turn.
    pub partition: Option<Partition>,
}

impl JobMeta {
    /// The metadata at the beginning of a life. Every store begins a life with it.
    pub fn begin(queue: QueueName, new: &NewJob, seq: Seq, now: Timestamp) -> Self {
        let gate = new.gate.map(|gate| (Gate::begin(gate), gate.timeout.unwrap_or(Span::MAX)));
        let wait = gate.filter(|(gate, _)| gate.is_closed(0)).map_or(new.delay, |(_, timeout)| timeout);
        Self {
            queue,
            id: new.id.clone(),
            seq,
            revision: 1,
            kind: new.kind.clone(),
            tags: new.tags.clone(),
            priority: new.priority,
            created_at: now,
            run_at: now + wait,
            state: State::Queued,
            reason: None,
            epoch: 0,
            failures: 0,
            stalls: 0,
            expires_in: new.expires_in,
            expiry_lifted: false,
            terms: new.terms.clone(),
            lease: None,
            claimed_at: None,
            cancel_requested: false,
            awaited: new.awaited,
            progress: None,
            last_error: None,
            failed_at: None,
            finished_at: None,
            purge_at: None,
            gate: gate.map(|(gate, _)| Box::new(gate)),
            signalling: match &new.end_signals[..] {
                [] => Signalling::None,
                signals => Signalling::owing(signals.len()),
            },
            partition: new.partition.clone(),
        }
    }

    /// The metadata at the beginning of a life that replaces a record, as
    /// [`admit`](crate::lifecycle::admit) decides. A life that replaces a waiting job has that
    /// job's `created_at`, and is due at the latest `max_wait` after it, but not before now. Any
    /// other life begins as with [`begin`](Self::begin).
    pub fn replacing(present: &Self, new: &NewJob, seq: Seq, now: Timestamp) -> Self {
        let begun = Self::begin(present.queue.clone(), new, seq, now);
        let is_waiting = present.state.is_waiting() && !present.is_expired(now);
        let OnWaiting::Replace { max_wait } = new.on_waiting else { return begun };
        if !is_waiting {
            return begun;
        }
        let created_at = present.created_at;
        let latest = max_wait.map_or(begun.run_at, |max_wait| (created_at + max_wait).max(now));
        Self { created_at, run_at: begun.run_at.min(latest), ..begun }
    }

    /// The progress that the handler last reported, as encoded by the handler.
    pub fn progress(&self) -> Option<&[u8]> {
        self.progress.as_ref().map(|reported| &***reported)
    }

    /// The number of the attempt that a claim starts, counted from one. The number can repeat after
    /// a release or a redrive, so it is no fence: use `(seq, epoch)` as a fence.
    pub fn attempt(&self) -> u32 {
        self.failures.saturating_add(self.stalls).saturating_add(1)
    }

    /// The number of attempts to show to people: those that were charged, plus the one that runs or
    /// has completed the job.
    pub fn attempts_made(&self) -> u32 {
        let running = matches!(self.state, State::Processing | State::Completed);
        self.failures.saturating_add(self.stalls).saturating_add(u32::from(running))
    }

    /// When the job came into its state, as far as the record shows: a Queued job when it was
    /// created, a Processing job when it was claimed, a Failing job when it last failed, any other
    /// when it became terminal.
    pub fn entered_at(&self) -> Timestamp {
        let at = match self.state {
            State::Queued => None,
            State::Processing => self.claimed_at,
            State::Failing => self.failed_at,
            State::Completed | State::Failed | State::Cancelled => self.finished_at,
        };
        at.unwrap_or(self.created_at)
    }

    /// How long the job waited for its last claim, counted from its due time; it still counts while
    /// the job is due. `None` before the job is due.
    ///
    /// For a job that was put off after its last claim, as after a failure, the wait before that
    /// claim is not known.
    pub fn wait_time(&self, now: Timestamp) -> Option<Duration> {
        match self.claimed_at.filter(|_| !self.state.is_waiting()) {
            Some(claimed_at) => Some(claimed_at.since(self.run_at)),
            None => (self.is_due(now)).then(|| now.since(self.run_at)),
        }
    }

    /// How long the last attempt took; it still counts while the attempt runs. `None` if there was
    /// no attempt, or if the attempt gave the job back.
    pub fn run_time(&self, now: Timestamp) -> Option<Duration> {
        let claimed_at = self.claimed_at?;
        let ended_at = match self.state {
            State::Queued => return None,
            State::Processing => now,
            State::Failing => self.failed_at.filter(|failed_at| *failed_at >= claimed_at)?,
            State::Completed | State::Failed | State::Cancelled => self.finished_at?,
        };
        Some(ended_at.since(claimed_at))
    }

    /// Whether the job waits and its due time has come.
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.state.is_waiting() && self.run_at <= now
    }

    /// Whether the job waits for a due time that is still to come, and not behind a gate.
    pub fn is_scheduled(&self, now: Timestamp) -> bool {
        self.state.is_waiting() && self.run_at > now && !self.is_behind_gate()
    }

    /// Whether the job waits behind a closed gate whose time-out, which is the due time of the job,
    /// is still to come.
    pub fn is_gated(&self, now: Timestamp) -> bool {
        self.state.is_waiting() && self.run_at > now && self.is_behind_gate()
    }

    fn is_behind_gate(&self) -> bool {
        self.gate.as_ref().is_some_and(|gate| gate.is_closed(self.epoch))
    }

    /// Whether the job waits for a due time that does not come, as a
    /// [reschedule](crate::lifecycle::Event::Reschedule) by [`Span::MAX`] leaves it. So is a paused
    /// schedule.
    pub fn is_parked(&self, now: Timestamp) -> bool {
        self.is_scheduled(now) && self.run_at.is_far(now)
    }

    /// Whether the job is Processing under a lease that has run out.
    pub fn is_lapsed(&self, now: Timestamp) -> bool {
        self.lease.as_ref().is_some_and(|lease| lease.expires_at <= now)
    }

    /// How long the lease lasts from its claim on: as long as was asked for, until it is extended.
    pub fn leased_for(&self) -> Option<Span> {
        let held = self.lease.as_ref()?;
        Some(Span::at_most(held.expires_at.since(self.claimed_at?)))
    }

    /// When the job expires unless it starts before; `None` if it cannot expire, or not any more.
    pub fn expires_at(&self) -> Option<Timestamp> {
        self.expires_in.filter(|_| !self.expiry_lifted).map(|span| self.created_at + span)
    }

    /// Whether the job has expired, as far as the record shows: it is Queued, and its time to start
    /// has passed. Any reader may end it by [`Event::Expire`](crate::lifecycle::Event::Expire), its
    /// id is free for another job, and no worker runs it. Of a Processing job only its holder knows
    /// whether it has started, and uses [`is_too_late`](Self::is_too_late).
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.state == State::Queued && self.is_too_late(now)
    }

    /// Whether the time to start the job has passed. A holder that has not started it yet must not
    /// start it.
    pub fn is_too_late(&self, now: Timestamp) -> bool {
        self.expires_at().is_some_and(|at| at <= now)
    }

    /// Whether the purge time has passed. The record is then absent for every verb, whether it has
    /// been removed or not.
    pub fn is_purged(&self, now: Timestamp) -> bool {
        self.purge_at.is_some_and(|at| at <= now)
    }
}
