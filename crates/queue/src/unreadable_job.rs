//! Jobs of the library's own that this program cannot read, as listings show them.

use queue_core::{Error, ErrorKind, JobMeta, Result};
use queue_view::{UnreadableBatchView, UnreadableOperationView, UnreadableScheduleView};

/// A schedule, an operation or a batch that this program cannot read: a newer version of the
/// library wrote it, or its time zone is not known on this machine. Workers that cannot read it
/// leave it, uncharged, to those that can.
///
/// It can be paused, cancelled and removed as any other.
#[derive(Clone, Debug)]
pub struct UnreadableJob {
    name: String,
    meta: JobMeta,
    error: Error,
}

impl UnreadableJob {
    /// The name of the schedule, or the id of the operation.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The metadata of its job.
    pub fn meta(&self) -> &JobMeta {
        &self.meta
    }

    /// Why it cannot be read: `Unsupported` if another program may read it, `Corrupt` if none does.
    pub fn error(&self) -> &Error {
        &self.error
    }

    /// What could be read, and else the job under its name. Other errors come from the store.
    pub(crate) fn unless_read<T>(
        read: Result<T>,
        name: impl FnOnce(&JobMeta) -> String,
        meta: JobMeta,
    ) -> Result<std::result::Result<T, Self>> {
        match read {
            Ok(read) => Ok(Ok(read)),
            Err(error) if matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::Corrupt) => {
                Ok(Err(Self { name: name(&meta), meta, error }))
            }
            Err(error) => Err(error),
        }
    }
}

impl From<&UnreadableJob> for UnreadableScheduleView {
    fn from(unreadable: &UnreadableJob) -> Self {
        Self {
            schedule: unreadable.name.clone(),
            state: "unreadable",
            error: unreadable.error.message().to_owned(),
        }
    }
}

impl From<&UnreadableJob> for UnreadableOperationView {
    fn from(unreadable: &UnreadableJob) -> Self {
        Self {
            operation: unreadable.name.clone(),
            state: unreadable.meta.state.as_str(),
            error: unreadable.error.message().to_owned(),
        }
    }
}

impl From<&UnreadableJob> for UnreadableBatchView {
    fn from(unreadable: &UnreadableJob) -> Self {
        Self {
            batch: unreadable.name.clone(),
            state: unreadable.meta.state.as_str(),
            error: unreadable.error.message().to_owned(),
        }
    }
}
