//! The job that encoded bytes belong to, and their role in it.

use queue_core::{JobId, JobMeta, Kind, QueueName};

/// The job that some bytes belong to, and their role in it. A codec that binds its bytes to this
/// context, as encryption does with its associated data, cannot be made to read them as anything
/// else.
///
/// Nothing in it changes while the bytes exist: a retry, a redrive, a promotion and a new content
/// type leave all four fields as they are. Every enqueue of an id has the same context, so it does
/// not distinguish two lives of one id.
///
/// It borrows, so making one costs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CodecContext<'a> {
    /// The queue of the job.
    pub queue: &'a QueueName,
    /// The kind of the job.
    pub kind: &'a Kind,
    /// The id of the job within the queue.
    pub id: &'a JobId,
    /// The role of the bytes.
    pub role: Role,
}

/// What encoded bytes are to their job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// The payload that it was enqueued with.
    Payload,
    /// The result that it left when it completed.
    Result,
    /// The progress that its handler reports while it runs.
    Progress,
    /// The details of an error. They are stored as a handler gives them, so this role is only for
    /// programs that encode details themselves.
    Details,
    /// A note that a handler leaves beside its job, step by step. Nothing writes notes yet.
    Note,
}

impl<'a> CodecContext<'a> {
    /// The context of bytes that belong to a job with this id.
    pub const fn new(queue: &'a QueueName, kind: &'a Kind, id: &'a JobId, role: Role) -> Self {
        Self { queue, kind, id, role }
    }

    /// The context of bytes of a stored job.
    pub const fn of(job: &'a JobMeta, role: Role) -> Self {
        Self::new(&job.queue, &job.kind, &job.id, role)
    }
}

impl Role {
    /// A stable name, for codecs that bind their bytes to it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Payload => "payload",
            Self::Result => "result",
            Self::Progress => "progress",
            Self::Details => "details",
            Self::Note => "note",
        }
    }
}
