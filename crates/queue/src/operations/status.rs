//! The status of an operation.

use super::{OperationCounts, OperationId, OperationSpec};
use queue_core::{Error, ErrorKind, JobMeta, JobRecord, Result, State};
use queue_view::OperationView;
use queue_worker::operations::OperationProgress;

/// The status of an operation, from its record.
#[derive(Clone, Debug)]
pub struct OperationStatus {
    id: OperationId,
    spec: OperationSpec,
    meta: JobMeta,
    progress: OperationProgress,
}

impl OperationStatus {
    pub(super) fn of(record: JobRecord) -> Result<Self> {
        let body = record.body.ok_or_else(|| Error::without_body("operation"))?;
        let spec = OperationSpec::from_bytes(&body.payload.bytes)?;
        let other = || Error::new(ErrorKind::Corrupt, "operation", "the id is not of the operation's queue");
        let id: OperationId = record.meta.id.as_str().parse().map_err(|_| other())?;
        if *id.queue() != spec.queue {
            return Err(other());
        }
        let progress = record.meta.progress().map(OperationProgress::from_bytes).transpose()?;
        Ok(Self { id, spec, meta: record.meta, progress: progress.unwrap_or_default() })
    }

    /// Its id.
    pub fn id(&self) -> &OperationId {
        &self.id
    }

    /// What it does, and to which jobs.
    pub fn spec(&self) -> &OperationSpec {
        &self.spec
    }

    /// The metadata of the job that the operation is. A Completed operation went through all of its
    /// jobs; a Cancelled one through those that were counted; a Failed one could not go on.
    pub fn meta(&self) -> &JobMeta {
        &self.meta
    }

    /// How many jobs it is through with, by outcome.
    pub fn counts(&self) -> OperationCounts {
        self.progress.counts
    }

    /// How many jobs are being changed just now, and are in no count yet. If the operation is over,
    /// its runner died with them and no other took it over before it was cancelled: they may have
    /// been changed or not.
    pub fn in_flight(&self) -> u64 {
        self.progress.in_flight()
    }

    /// It ended because it had met as many jobs as it may; there may be more.
    pub fn is_cut(&self) -> bool {
        self.progress.is_cut
    }

    /// The first error that a job, or the operation itself, met.
    pub fn error(&self) -> Option<&str> {
        let own = self.meta.last_error.as_ref().filter(|_| self.meta.state == State::Failed);
        self.progress.error.as_deref().or(own.map(queue_core::Failure::message))
    }

    /// The operation as a document.
    pub fn view(&self) -> OperationView {
        let counts = self.counts();
        OperationView {
            operation: self.id.to_string(),
            queue: self.spec.queue.to_string(),
            action: self.spec.action.to_string(),
            state: self.meta.state.as_str(),
            done: counts.done,
            gone: counts.gone,
            skipped: counts.skipped,
            failed: counts.failed,
            in_flight: self.in_flight(),
            is_cut: self.is_cut(),
            is_over: self.is_over(),
            error: self.error().map(str::to_owned),
        }
    }

    /// Whether it does nothing any more.
    pub fn is_over(&self) -> bool {
        self.meta.state.is_terminal()
    }
}
