use crate::{
    Budget, Failure, JobId, Kind, LeaseInfo, NewJob, OnWaiting, QueueName, Reason, RetentionPolicy, Seq,
    Span, State, Tags, Timestamp,
};
use bytes::Bytes;
use std::time::Duration;

/// Everything about a job that is small and may be shown: no payload, no result, no error details, no token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobMeta {
    /// The queue it lives in.
    pub queue: QueueName,
    /// Its id within the queue.
    pub id: JobId,
    /// Names this life of the id, given by the store and only growing.
    pub seq: Seq,
    /// Grows with every write to the record.
    pub revision: u64,
    /// What the job asks for.
    pub kind: Kind,
    /// What it is found by.
    pub tags: Tags,
    /// Lower is claimed first.
    pub priority: i16,
    /// When this life was enqueued, or the first of those that took each other's place while they waited.
    pub created_at: Timestamp,
    /// Not claimed before this.
    pub run_at: Timestamp,
    /// Where in its life it stands.
    pub state: State,
    /// Why it is Failed, or Cancelled though nobody asked for it.
    pub reason: Option<Reason>,
    /// Claims in this life; `(seq, epoch)` fences outside resources, in order.
    pub epoch: u64,
    /// Failed attempts since enqueue or redrive.
    pub failures: u32,
    /// Lapsed leases since enqueue or redrive.
    pub stalls: u32,
    /// From [`created_at`](Self::created_at), how long it may wait for its start; `None` is for ever.
    pub expires_in: Option<Span>,
    /// It may have started, or somebody said that it shall run after all: it does not expire any more. Set on jobs alone
    /// that could.
    pub expiry_lifted: bool,
    /// How long a worker lets its handler run, in place of the kind's limit or its own.
    pub time_limit: Option<Span>,
    /// How many failures it may have.
    pub max_attempts: Budget,
    /// How many stalls it may have.
    pub max_stalls: Budget,
    /// Who holds it, while Processing.
    pub lease: Option<LeaseInfo>,
    /// When it was last claimed: there if and only if it ever was.
    pub claimed_at: Option<Timestamp>,
    /// Somebody asked to cancel it while it ran.
    pub cancel_requested: bool,
    /// Somebody waits, or waited, for its outcome.
    pub awaited: bool,
    /// What its handler last reported, as encoded by the handler: one pointer where it stands, since most jobs have none.
    pub progress: Option<Box<Bytes>>,
    /// The last failure, without details.
    pub last_error: Option<Failure>,
    /// When a failure or a stall was last charged: there if and only if [`last_error`](Self::last_error) is.
    pub failed_at: Option<Timestamp>,
    /// The kind of the job that follows in the step in which this one becomes Failed.
    pub on_failure: Option<Kind>,
    /// How long it stays once terminal.
    pub retention: RetentionPolicy,
    /// When it became terminal.
    pub finished_at: Option<Timestamp>,
    /// From here on it counts as absent; `None` on a terminal job means forever.
    pub purge_at: Option<Timestamp>,
}

impl JobMeta {
    /// The first state of a life. Every store begins a life with it.
    pub fn begin(queue: QueueName, new: &NewJob, seq: Seq, now: Timestamp) -> Self {
        Self {
            queue,
            id: new.id.clone(),
            seq,
            revision: 1,
            kind: new.kind.clone(),
            tags: new.tags.clone(),
            priority: new.priority,
            created_at: now,
            run_at: now + new.delay,
            state: State::Queued,
            reason: None,
            epoch: 0,
            failures: 0,
            stalls: 0,
            expires_in: new.expires_in,
            expiry_lifted: false,
            time_limit: new.time_limit,
            max_attempts: new.max_attempts,
            max_stalls: new.max_stalls,
            lease: None,
            claimed_at: None,
            cancel_requested: false,
            awaited: new.awaited,
            progress: None,
            last_error: None,
            failed_at: None,
            on_failure: new.on_failure.clone(),
            retention: new.retention,
            finished_at: None,
            purge_at: None,
        }
    }

    /// The first state of a life that begins where [`admit`](crate::lifecycle::admit) has a record make room. One that
    /// takes the place of a job that waits was created when that one was, and is due at the latest `max_wait` after that,
    /// but not before now; any other begins like a first one.
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

    /// What its handler last reported, as encoded by the handler.
    pub fn progress(&self) -> Option<&[u8]> {
        self.progress.as_ref().map(|reported| &***reported)
    }

    /// The number of the attempt that a claim starts, counted from one. It can repeat after a release or a
    /// redrive, so it is no fence: use `(seq, epoch)` for that.
    pub fn attempt(&self) -> u32 {
        self.failures.saturating_add(self.stalls).saturating_add(1)
    }

    /// Attempts to show to people: those spent, plus the one that runs or completed.
    pub fn attempts_made(&self) -> u32 {
        let running = matches!(self.state, State::Processing | State::Completed);
        self.failures.saturating_add(self.stalls).saturating_add(u32::from(running))
    }

    /// When it came into its state, as far as its record tells: a Queued job when it was created, a Processing one when it was
    /// claimed, a Failing one when it last failed, any other when it became terminal.
    pub fn entered_at(&self) -> Timestamp {
        let at = match self.state {
            State::Queued => None,
            State::Processing => self.claimed_at,
            State::Failing => self.failed_at,
            State::Completed | State::Failed | State::Cancelled => self.finished_at,
        };
        at.unwrap_or(self.created_at)
    }

    /// How long it waited to be claimed the last time, from when it was due; still counting while it is due. `None` before that.
    ///
    /// Of a job that was put off since, as after a failure, nothing is known of the claim before.
    pub fn wait_time(&self, now: Timestamp) -> Option<Duration> {
        match self.claimed_at.filter(|_| !self.state.is_waiting()) {
            Some(claimed_at) => Some(claimed_at.since(self.run_at)),
            None => (self.is_due(now)).then(|| now.since(self.run_at)),
        }
    }

    /// How long the last attempt took; still counting while it runs. `None` if there was none, or if it gave the job back.
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

    /// Waiting, and its time has come.
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.state.is_waiting() && self.run_at <= now
    }

    /// Waiting for its time to come.
    pub fn is_scheduled(&self, now: Timestamp) -> bool {
        self.state.is_waiting() && self.run_at > now
    }

    /// Processing under a lease that ran out.
    pub fn is_lapsed(&self, now: Timestamp) -> bool {
        self.lease.as_ref().is_some_and(|lease| lease.expires_at <= now)
    }

    /// When it is given up unless it has started, as long as that can still happen.
    pub fn expires_at(&self) -> Option<Timestamp> {
        self.expires_in.filter(|_| !self.expiry_lifted).map(|span| self.created_at + span)
    }

    /// It has not started by the time that its producer gave it, as far as its record tells: whoever reads this may end
    /// it by [`Event::Expire`](crate::lifecycle::Event::Expire), it makes room for another job of its id, and no worker
    /// runs it. Of a Processing job its holder alone knows, by [`is_too_late`](Self::is_too_late).
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.state == State::Queued && self.is_too_late(now)
    }

    /// The time to start it has passed: a holder that has not started it yet does not.
    pub fn is_too_late(&self, now: Timestamp) -> bool {
        self.expires_at().is_some_and(|at| at <= now)
    }

    /// Past its purge time: to every verb it is absent, removed or not.
    pub fn is_purged(&self, now: Timestamp) -> bool {
        self.purge_at.is_some_and(|at| at <= now)
    }
}
