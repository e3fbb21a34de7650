use queue_core::{Error, JobId, JobMeta, Seq};

/// Something that happened in a worker. Each settle is reported once, after the store has it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum WorkerEvent {
    /// A handler starts.
    Started(JobMeta),
    /// The job is Completed, or removed as its retention says.
    Completed(JobMeta),
    /// The attempt failed and another follows.
    Failing(JobMeta),
    /// The job is Failed, or removed as its retention says.
    Failed(JobMeta),
    /// The job was given back uncharged, now or for later.
    Released(JobMeta),
    /// The job is Cancelled, since that was asked for while it ran.
    Cancelled(JobMeta),
    /// Somebody's lease lapsed and this worker noticed; the state says what follows.
    Stalled(JobMeta),
    /// What a handler here did no longer counts: another holds the job, or it is gone.
    LeaseLost {
        /// Which job.
        id: JobId,
        /// Which life of it.
        seq: Seq,
    },
    /// A settle was given up: the store would not take it, or had not by the shutdown deadline. Its job runs again once
    /// its lease lapses, unless the store has it after all.
    Abandoned {
        /// Which job.
        id: JobId,
        /// Which life of it.
        seq: Seq,
    },
    /// The store refused something; the worker goes on.
    Error(Error),
}
