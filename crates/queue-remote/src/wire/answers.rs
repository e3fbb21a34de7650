//! What a store answers.

use super::{Source, Wire, hash, mix};
use queue_core::{
    Applied, Certainty, Claimed, ClaimedJob, CompletedJob, Counts, Cursor, Enqueued, Error, ErrorKind,
    Finding, Hint, Imported, JobChange, JobId, JobMeta, JobRecord, Kind, LeaseToken, Limit, Page, Partition,
    PartitionPage, PartitionQuery, PartitionStatus, Pause, PausedKind, Payload, QueueName, QueueStatus,
    QueuesPage, QueuesQuery, Seq, SeriesEntry, SeriesPage, SeriesQuery, Severity, Stamped, State, Timestamp,
    wire::{Malformed, Writer},
};

record! {
    Claimed {
        jobs: Vec<ClaimedJob>,
        next_due: Option<Timestamp>,
        pause: Pause,
        paused_kinds: Vec<PausedKind>,
        set_aside: usize,
        kept_back: bool,
        now: Timestamp,
        clock: Timestamp,
    }
    ClaimedJob { record: JobRecord, token: LeaseToken }
    Page { jobs: Vec<JobMeta>, next: Option<Cursor>, looked_at: u64, now: Timestamp, clock: Timestamp }
    QueuesPage { queues: Vec<QueueStatus>, next: Option<QueuesQuery> }
    QueueStatus { name: QueueName, pause: Pause, paused_kinds: Vec<PausedKind>, counts: Counts }
    PartitionPage {
        partitions: Vec<PartitionStatus>,
        next: Option<PartitionQuery>,
        now: Timestamp,
        clock: Timestamp,
    }
    PartitionStatus {
        partition: Partition,
        leases: u64,
        waiting: u64,
        oldest_due: Option<Timestamp>,
        limit: Limit,
        has_own_limit: bool,
    }
    PausedKind { kind: Kind, pause: Pause }
    SeriesPage { entries: Vec<SeriesEntry>, next: Option<SeriesQuery> }
    JobChange { id: JobId, seq: Seq, revision: u64, state: Option<State> }
    CompletedJob { id: JobId, seq: Seq, revision: u64, result: Payload }
    ErrorReport { kind: ErrorKind, certainty: Certainty, message: String }
}

choice! {
    Enqueued {
        0 = Queued { seq: Seq },
        1 = Duplicate { seq: Seq, state: State },
        2 = Completed { seq: Seq, result: Option<Payload> },
        3 = Orphaned,
    }
    Applied { 0 = Done(job: JobMeta), 1 = LeaseLost(job: JobMeta), 2 = Stale(job: JobMeta), 3 = Missing }
    Imported { 0 = Stored { seq: Seq }, 1 = Taken { seq: Seq }, 2 = Purged }
    Hint { 0 = Wake, 1 = Job(change: JobChange), 2 = Missed, 3 = Completed(job: Box<CompletedJob>) }
    Certainty { 0 = NotApplied, 1 = Unknown }
    Pause { 0 = Off, 1 = Until(at: Timestamp), 2 = UntilResumed }
}

growing_choice! {
    ErrorKind {
        0 = Invalid,
        1 = Unavailable,
        2 = Conflict,
        3 = Corrupt,
        4 = Unsupported,
        5 = Closed,
        6 = Internal,
    }
    Severity { 0 = Fine, 1 = Unknown, 2 = Warning, 3 = Broken }
}

/// An error as a caller elsewhere may see it: without its source, which is the driver's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ErrorReport {
    pub(crate) kind: ErrorKind,
    pub(crate) certainty: Certainty,
    pub(crate) message: String,
}

impl ErrorReport {
    #[cfg(any(feature = "server", test))]
    pub(crate) fn of(error: &Error) -> Self {
        Self { kind: error.kind(), certainty: error.certainty(), message: error.message().to_owned() }
    }

    /// The error of a call. A store that is closed behind the server is no closed handle here: the
    /// server may be about to restart, so it is worth a retry.
    pub(crate) fn into_error(self, operation: &'static str) -> Error {
        let error = match self.kind {
            ErrorKind::Closed => {
                Error::new(ErrorKind::Unavailable, operation, "the server has closed its store; try again")
            }
            kind => Error::new(kind, operation, self.message),
        };
        if self.certainty == Certainty::Unknown { error.unknown() } else { error }
    }
}

impl<T: Wire> Wire for Stamped<T> {
    const SCHEMA: u64 = mix(hash(0, "Stamped"), T::SCHEMA);

    fn put(&self, out: &mut Writer) {
        let Self { now, clock, value } = self;
        now.put(out);
        clock.put(out);
        value.put(out);
    }

    fn read(from: &mut Source) -> Result<Self, Malformed> {
        Ok(Self { now: Timestamp::read(from)?, clock: Timestamp::read(from)?, value: T::read(from)? })
    }
}

impl Wire for Counts {
    const SCHEMA: u64 =
        hash(State::ALL.len() as u64, "Counts { states, scheduled, gated, oldest_due, now, clock }");

    fn put(&self, out: &mut Writer) {
        for state in State::ALL {
            out.number(self.of(state));
        }
        self.scheduled.put(out);
        self.gated.put(out);
        self.oldest_due.put(out);
        self.now.put(out);
        self.clock.put(out);
    }

    fn read(from: &mut Source) -> Result<Self, Malformed> {
        let mut counts = Self::default();
        for state in State::ALL {
            counts.set(state, from.reader.number()?);
        }
        counts.scheduled = u64::read(from)?;
        counts.gated = u64::read(from)?;
        counts.oldest_due = Option::read(from)?;
        counts.now = Timestamp::read(from)?;
        counts.clock = Timestamp::read(from)?;
        Ok(counts)
    }
}

impl Wire for Finding {
    const SCHEMA: u64 = mix(hash(0, "Finding { code, severity, seen, advice }"), Severity::SCHEMA);

    fn put(&self, out: &mut Writer) {
        out.text(&self.code);
        self.severity.put(out);
        out.text(&self.seen);
        out.text(&self.advice);
    }

    fn read(from: &mut Source) -> Result<Self, Malformed> {
        let code = from.reader.text()?;
        if !Self::is_code(&code) {
            return Err(Malformed("a finding has no code"));
        }
        let severity = Severity::read(from)?;
        let seen = from.reader.text()?;
        Ok(Self::new(code, severity, seen, from.reader.text()?))
    }
}
