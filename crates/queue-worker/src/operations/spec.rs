//! An operation as a store keeps it: the payload of its job.

use super::{Action, OPERATION_KEPT, OPERATION_KIND, wire};
use queue_core::{
    Budget, ContentType, Direction, Error, ErrorKind, JobId, JobMeta, Kind, LibraryJob, ListFilter,
    ListQuery, NewJob, Payload, QueueName, Retention, Seq, Span, Timestamp, Walk,
};
use queue_view::{InvalidFilter, JobFilter, Standing};
use serde::{Deserialize, Serialize};

/// The layout that this library writes. It reads every one up to this.
const SPEC_VERSION: u32 = 1;
/// An operation is run this long after its beginning at the soonest, so that what it does comes
/// after the moment at which its jobs were fixed.
const AFTER_BEGINNING: Span = Span::from_millis(1);

/// A whole operation, as the payload of its job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OperationSpec {
    /// The version of the layout.
    pub version: u32,
    /// The queue of the jobs.
    #[serde(with = "wire::queue")]
    pub queue: QueueName,
    /// Which jobs.
    pub filter: JobFilter,
    /// What is done to each.
    pub action: Action,
    /// The most jobs that it meets.
    pub jobs_max: u64,
    /// The newest life when it was begun; it leaves later ones alone.
    pub last_seq: u64,
    /// When it was begun, by store time, in milliseconds. Jobs that ended after that are left
    /// alone.
    pub begun_ms: i64,
}

/// Why an operation was refused, or cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The filter names no standing.
    #[error(
        "say how the jobs stand that you mean, such as `failed` or `queued`: an operation about all jobs is not run"
    )]
    NoStanding,
    /// The action never changes a job that stands so.
    #[error("jobs that are {standing} cannot be changed by {action}; leave {standing} out")]
    Pointless {
        /// The action.
        action: String,
        /// How the jobs stand.
        standing: Standing,
    },
    /// A filter that no job can match.
    #[error(transparent)]
    Filter(#[from] InvalidFilter),
    /// A filter that means jobs of the library alone.
    #[error(
        "jobs of the kind {kind:?} belong to the library: change schedules with `queue schedule`, and stop operations with `queue bulk stop`"
    )]
    ReservedKind {
        /// The kind.
        kind: Kind,
    },
    /// A bound of zero jobs.
    #[error("an operation must be allowed to meet at least one job")]
    NoJobs,
    /// The stored operation is of a newer version.
    #[error("the operation has layout version {version}, which this version of the library cannot read")]
    Newer {
        /// Its version.
        version: u32,
    },
    /// The stored operation cannot be read by this version, and by another it may: it names an
    /// action that is not known here, say.
    #[error("the stored operation cannot be read here: {reason}")]
    UnreadableHere {
        /// Why.
        reason: String,
    },
    /// The stored bytes are the operation of no version.
    #[error("the stored operation cannot be read: {reason}")]
    Unreadable {
        /// Why.
        reason: String,
    },
}

impl From<SpecError> for Error {
    fn from(error: SpecError) -> Self {
        let kind = match error {
            SpecError::Newer { .. } | SpecError::UnreadableHere { .. } => ErrorKind::Unsupported,
            SpecError::Unreadable { .. } => ErrorKind::Corrupt,
            _ => ErrorKind::Invalid,
        };
        Self::new(kind, "operation", error.to_string()).with_source(error)
    }
}

impl OperationSpec {
    /// An operation on the jobs up to the newest one, as a listing showed it.
    pub fn new(
        queue: QueueName,
        filter: JobFilter,
        action: Action,
        newest: Option<&JobMeta>,
        now: Timestamp,
    ) -> Self {
        Self {
            version: SPEC_VERSION,
            queue,
            filter,
            action,
            jobs_max: super::OPERATION_JOBS_MAX,
            last_seq: newest.map_or(0, |job| job.seq.get()),
            begun_ms: now.as_millis(),
        }
    }

    /// Checks that the operation can do something.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn check(&self) -> Result<(), SpecError> {
        let Self { filter, action, .. } = self;
        if filter.states.is_empty() {
            return Err(SpecError::NoStanding);
        }
        if self.jobs_max == 0 {
            return Err(SpecError::NoJobs);
        }
        filter.check()?;
        if let Some(kind) = filter.kind.as_ref().filter(|kind| kind.is_reserved()) {
            return Err(SpecError::ReservedKind { kind: kind.clone() });
        }
        match filter.states.iter().find(|standing| !action.is_for(**standing)) {
            Some(standing) => Err(SpecError::Pointless { action: action.to_string(), standing: *standing }),
            None => Ok(()),
        }
    }

    /// The job that runs it.
    ///
    /// # Panics
    /// Never: names and numbers always serialize.
    pub fn job(&self, id: JobId) -> NewJob {
        let bytes = serde_json::to_vec(self).expect("names and numbers are JSON");
        let payload = Payload::new(bytes, ContentType::from_static("application/json"));
        NewJob::new(id, Kind::from_static(OPERATION_KIND), payload)
            .with_delay(AFTER_BEGINNING)
            .with_retention(Retention::Keep(OPERATION_KEPT))
            // A runner that dies is no reason to give up.
            .with_max_attempts(Budget::Unlimited)
            .with_max_stalls(Budget::Unlimited)
    }

    /// Reads the payload of an operation's job.
    ///
    /// # Errors
    /// [`SpecError::Newer`], [`SpecError::UnreadableHere`] and [`SpecError::Unreadable`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SpecError> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let unreadable = |error: serde_json::Error| SpecError::Unreadable { reason: error.to_string() };
        let Version { version } = serde_json::from_slice(bytes).map_err(unreadable)?;
        if version > SPEC_VERSION {
            return Err(SpecError::Newer { version });
        }
        serde_json::from_slice(bytes).map_err(|error| SpecError::UnreadableHere { reason: error.to_string() })
    }

    /// Whether another operation is the same, whenever each was begun.
    pub fn asks_the_same(&self, other: &Self) -> bool {
        *self == Self { last_seq: self.last_seq, begun_ms: self.begun_ms, ..other.clone() }
    }

    /// When it was begun.
    pub const fn begun(&self) -> Timestamp {
        Timestamp::from_millis(self.begun_ms)
    }

    /// The first page of the jobs that it may meet.
    pub(super) fn query(&self, limit: usize) -> ListQuery {
        let walk = self.walk();
        let filter = self.list_filter(&walk);
        ListQuery::new(self.queue.clone(), walk, limit).matching(filter)
    }

    /// Whether the operation is about a job as it was read. Jobs of the library itself, such as
    /// schedules, are left out.
    pub(super) fn is_member(&self, job: &JobMeta) -> bool {
        let is_late = job.state.is_terminal() && job.entered_at() > self.begun();
        let is_own = LibraryJob::of(job).is_none();
        job.seq <= Seq::new(self.last_seq) && !is_late && is_own && self.filter.touches(job, self.begun())
    }

    /// Whether all jobs behind this one began their life after the operation.
    pub(super) fn is_past(&self, job: &JobMeta) -> bool {
        !self.walk().is_by_time() && job.seq > Seq::new(self.last_seq)
    }

    /// The index that it goes along: one in which a job that it has changed keeps its place.
    fn walk(&self) -> Walk {
        self.filter.stable_walk(Direction::OldestFirst)
    }

    /// In an index by time the walk ends where jobs came in after the beginning: some of these may
    /// be there because the operation itself has moved them.
    fn list_filter(&self, walk: &Walk) -> ListFilter {
        let filter = self.filter.list_filter();
        if !walk.is_by_time() {
            return filter;
        }
        let behind = Timestamp::from_millis(self.begun_ms.saturating_add(1));
        let given = filter.entered.unwrap_or(Timestamp::from_millis(i64::MIN)..behind);
        ListFilter { entered: Some(given.start..given.end.min(behind)), ..filter }
    }
}
