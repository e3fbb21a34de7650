//! How an attempt ended.

use queue_core::{Failure, JobMeta};
use std::time::Duration;

/// How an attempt ended, once the store has it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JobEnd {
    /// The record as it then stood, or as it was last seen before its removal.
    pub meta: JobMeta,
    /// The number of this attempt, from one.
    pub attempt: u32,
    /// How long the handler ran, without hooks and without the settle; `None` if it did not.
    pub ran_for: Option<Duration>,
    /// What went wrong, with details, if the attempt failed.
    pub error: Option<Failure>,
}

impl JobEnd {
    /// The end of an attempt, as a worker of another kind reports it.
    pub fn new(meta: JobMeta, attempt: u32, ran_for: Option<Duration>, error: Option<Failure>) -> Self {
        Self { meta, attempt, ran_for, error }
    }
}
