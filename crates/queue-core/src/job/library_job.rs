//! The jobs that the library enqueues for itself.

use super::JobMeta;
use crate::{Error, ErrorKind, JobId, Result};

/// What a job of a [reserved kind](crate::Kind::is_reserved) is. Such a job is no work of the
/// queue: it is changed as what it is, and never as a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LibraryJob<'a> {
    /// The schedule of this name.
    Schedule(&'a str),
    /// The operation on many jobs with this id.
    Operation(&'a str),
    /// The batch of this name: the job that waits for its members.
    Batch(&'a str),
    /// A job with this id that works for a batch: it cancels the members, or sets how long their
    /// records are kept.
    BatchWork(&'a str),
    /// Any other, such as one that a newer version enqueued.
    Other,
}

impl<'a> LibraryJob<'a> {
    /// The kind of the job that a schedule is.
    pub const SCHEDULE_KIND: &'static str = "queue.schedule";
    /// The kind of the job that an operation is.
    pub const OPERATION_KIND: &'static str = "queue.operation";
    /// The kind of the job that a batch is.
    pub const BATCH_KIND: &'static str = "queue.batch";
    /// The kind of the job that cancels the members of a batch.
    pub const HALT_KIND: &'static str = "queue.halt";
    /// What the ids of operations that end the records of a batch's members begin with.
    pub const SWEEP_PREFIX: &'static str = "queue.sweep:";

    /// What a job is to the library; `None` for a job of an application.
    pub fn of(job: &'a JobMeta) -> Option<Self> {
        match job.kind.as_str() {
            _ if !job.kind.is_reserved() => None,
            Self::SCHEDULE_KIND => Some(Self::schedule_in(&job.id).map_or(Self::Other, Self::Schedule)),
            Self::OPERATION_KIND if Self::is_of_batch(&job.id) => Some(Self::BatchWork(job.id.as_str())),
            Self::OPERATION_KIND => Some(Self::Operation(job.id.as_str())),
            Self::BATCH_KIND => Some(Self::batch_in(&job.id).map_or(Self::Other, Self::Batch)),
            Self::HALT_KIND => Some(Self::BatchWork(job.id.as_str())),
            _ => Some(Self::Other),
        }
    }

    /// The name of the schedule whose job has this id; `None` if it is the id of no schedule.
    pub fn schedule_in(id: &JobId) -> Option<&str> {
        id.as_str().strip_prefix(Self::SCHEDULE_KIND)?.strip_prefix(':')
    }

    /// The name of the batch whose job has this id; `None` if it is the id of no batch.
    pub fn batch_in(id: &JobId) -> Option<&str> {
        id.as_str().strip_prefix(Self::BATCH_KIND)?.strip_prefix(':')
    }

    /// Whether the library gives such an id to jobs of its own: it begins with `queue.`, or is the
    /// id of a callback of a batch.
    pub fn owns_id(id: &JobId) -> bool {
        let callback = |rest: &str| rest.split_once('@').is_some_and(|(_, rest)| rest.contains('/'));
        id.as_str().starts_with("queue.") || id.as_str().strip_prefix("batch:").is_some_and(callback)
    }

    /// Whether an operation with this id belongs to a batch.
    fn is_of_batch(id: &JobId) -> bool {
        let halts = id.as_str().strip_prefix(Self::HALT_KIND).is_some_and(|rest| rest.starts_with(':'));
        halts || id.as_str().starts_with(Self::SWEEP_PREFIX)
    }

    /// Refuses a job of the library where jobs of applications are changed.
    ///
    /// # Errors
    /// `Invalid`, which says how the job is changed instead.
    pub fn refuse(job: &JobMeta) -> Result<()> {
        let id = &job.id;
        let message = match LibraryJob::of(job) {
            None => return Ok(()),
            Some(LibraryJob::Schedule(name)) => format!(
                "{id:?} is the schedule {name:?} and no job of an application: change it with `queue schedule` or on the page of schedules"
            ),
            Some(LibraryJob::Operation(operation)) => format!(
                "{id:?} is an operation and no job of an application: stop it with `queue bulk stop {operation:?}` or on the page of operations"
            ),
            Some(LibraryJob::Batch(batch)) => format!(
                "{id:?} is the batch {batch:?} and no job of an application: seal, cancel or abandon it as a batch"
            ),
            Some(LibraryJob::BatchWork(_)) => {
                format!("{id:?} works for a batch and is no job of an application: it ends by itself")
            }
            Some(LibraryJob::Other) => {
                format!(
                    "{id:?} is of the kind {:?}, which belongs to the library: it is not changed by hand",
                    job.kind
                )
            }
        };
        Err(Error::new(ErrorKind::Invalid, "change", message))
    }
}

#[cfg(test)]
mod tests {
    use super::LibraryJob;
    use crate::{ContentType, ErrorKind, JobId, JobMeta, Kind, NewJob, Payload, QueueName, Seq, Timestamp};

    fn job(id: &'static str, kind: &'static str) -> JobMeta {
        let payload = Payload::new(b"1".to_vec(), ContentType::from_static("application/json"));
        let new = NewJob::new(JobId::from_static(id), Kind::from_static(kind), payload);
        JobMeta::begin(QueueName::from_static("q"), &new, Seq::new(1), Timestamp::from_millis(1))
    }

    #[test]
    fn a_job_of_the_library_is_known_by_its_kind_and_never_by_its_id() {
        for (id, kind, expected) in [
            ("queue.schedule:nightly", "queue.schedule", Some(LibraryJob::Schedule("nightly"))),
            ("queue.schedule:nightly", "mail", None),
            ("mail/again", "queue.operation", Some(LibraryJob::Operation("mail/again"))),
            ("queue.batch:import-7", "queue.batch", Some(LibraryJob::Batch("import-7"))),
            ("import-7", "queue.batch", Some(LibraryJob::Other)),
            ("queue.halt:import-7@3", "queue.halt", Some(LibraryJob::BatchWork("queue.halt:import-7@3"))),
            ("queue.sweep:a@3", "queue.operation", Some(LibraryJob::BatchWork("queue.sweep:a@3"))),
            ("queue.halt:a@3/1", "queue.operation", Some(LibraryJob::BatchWork("queue.halt:a@3/1"))),
            ("a", "queue.tomorrow", Some(LibraryJob::Other)),
        ] {
            let job = job(id, kind);
            assert_eq!(LibraryJob::of(&job), expected, "{id} {kind}");
            let refused = LibraryJob::refuse(&job).map_err(|error| error.kind());
            assert_eq!(refused.err(), expected.map(|_| ErrorKind::Invalid), "{id} {kind}");
        }
    }
}
