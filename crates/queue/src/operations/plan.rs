//! An operation as a program describes it.

use super::{Action, OPERATION_JOBS_MAX, OperationSpec, SpecError};
use queue_core::{InvalidName, JobMeta, Kind, Partition, QueueName, Result, Tag, Timestamp, WorkerId};
use queue_view::{JobFilter, Standing};

/// What to do, and to which jobs of a queue: those that match every part that is given, and stand
/// in one of the ways that are named. At least one way must be named.
#[derive(Clone, Debug)]
#[must_use]
pub struct Operation {
    queue: String,
    action: Action,
    filter: JobFilter,
    jobs_max: u64,
    invalid: Option<InvalidName>,
}

impl Operation {
    /// An operation on jobs of this queue.
    pub fn on(queue: impl AsRef<str>, action: Action) -> Self {
        Self {
            queue: queue.as_ref().to_owned(),
            action,
            filter: JobFilter::default(),
            jobs_max: OPERATION_JOBS_MAX,
            invalid: None,
        }
    }

    /// Means jobs that stand so, or in any way that is added by a further call.
    pub fn standing(mut self, standing: Standing) -> Self {
        self.filter.states.push(standing);
        self
    }

    /// Means the jobs of a filter, in place of what was said before.
    pub fn filter(mut self, filter: JobFilter) -> Self {
        self.filter = filter;
        self
    }

    /// Means jobs of this kind.
    pub fn kind(mut self, kind: impl AsRef<str>) -> Self {
        self.filter.kind = self.checked(Kind::new(kind));
        self
    }

    /// Means jobs with this tag.
    pub fn tag(mut self, tag: impl AsRef<str>) -> Self {
        self.filter.tag = self.checked(Tag::new(tag));
        self
    }

    /// Means jobs that this worker holds.
    pub fn worker(mut self, worker: impl AsRef<str>) -> Self {
        self.filter.worker = self.checked(WorkerId::new(worker));
        self
    }

    /// Means jobs of this partition.
    pub fn partition(mut self, partition: impl AsRef<str>) -> Self {
        self.filter.partition = self.checked(Partition::new(partition));
        self
    }

    /// Means jobs whose id begins with this text.
    pub fn id_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.filter.id_prefix = Some(prefix.into());
        self
    }

    /// Means jobs that [came into their state](JobMeta::entered_at) at this store time or later.
    pub fn since(mut self, time: Timestamp) -> Self {
        self.filter.since = Some(time);
        self
    }

    /// Means jobs that [came into their state](JobMeta::entered_at) before this store time.
    pub fn until(mut self, time: Timestamp) -> Self {
        self.filter.until = Some(time);
        self
    }

    /// Sets the most jobs that the operation meets; [`OPERATION_JOBS_MAX`] by default. It ends
    /// there, and its record says so.
    pub fn jobs_max(mut self, jobs: u64) -> Self {
        self.jobs_max = jobs;
        self
    }

    /// The name of the queue.
    pub(super) fn queue(&self) -> Result<QueueName> {
        Ok(QueueName::new(&self.queue)?)
    }

    /// The checked operation, as of now.
    pub(super) fn begun(
        &self,
        queue: QueueName,
        newest: Option<&JobMeta>,
        now: Timestamp,
    ) -> Result<OperationSpec> {
        if let Some(invalid) = &self.invalid {
            return Err(invalid.clone().into());
        }
        let filter = self.filter.clone();
        let mut spec = OperationSpec::new(queue, filter, self.action.clone(), newest, now);
        spec.jobs_max = self.jobs_max;
        spec.check().map_err(|error: SpecError| queue_core::Error::from(error))?;
        Ok(spec)
    }

    fn checked<T>(&mut self, name: Result<T, InvalidName>) -> Option<T> {
        name.map_err(|invalid| self.invalid = Some(invalid)).ok()
    }
}
