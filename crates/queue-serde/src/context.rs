//! Which job encoded bytes belong to, and what they are to it.

use queue_core::{JobId, JobMeta, Kind, QueueName};

/// Which job some bytes belong to, and what they are to it. A codec that binds its bytes to this,
/// as an encryption does with its associated data, cannot be made to read them as anything else.
///
/// Nothing in it changes while the bytes exist: a retry, a redrive, a promotion and a new content
/// type leave all four as they are. Every enqueue of an id has the same context, so two lives of
/// one id are not told apart.
///
/// It borrows, so making one costs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CodecContext<'a> {
    /// The queue of the job.
    pub queue: &'a QueueName,
    /// What the job asks for.
    pub kind: &'a Kind,
    /// Its id within the queue.
    pub id: &'a JobId,
    /// What the bytes are to the job.
    pub role: Role,
}

/// What encoded bytes are to their job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// What it was enqueued with.
    Payload,
    /// What it left when it completed.
    Result,
    /// What its handler reports while it runs.
    Progress,
    /// The details of an error. They are stored as a handler gives them, so only programs that
    /// encode them by themselves use this role.
    Details,
    /// What a handler leaves beside its job, step by step. Nothing writes notes yet.
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
