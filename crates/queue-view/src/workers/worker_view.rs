//! A worker, as every face shows it.

use super::AboutWorker;
use queue_core::{Duty, QueueName, Timestamp, WorkerInfo};
use serde::Serialize;

/// A worker that is present, as JSON: `queue workers --json` and `GET /v1/workers` are this.
///
/// ```
/// # use queue_core::{Timestamp, WorkerId, WorkerInfo};
/// use queue_view::WorkerView;
///
/// # let info = WorkerInfo::new(WorkerId::from_static("a"));
/// let view = WorkerView::of(&info, Timestamp::from_millis(5_000));
/// assert_eq!((&*view.id, view.draining, view.up_ms), ("a", false, None));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Worker))]
#[non_exhaustive]
pub struct WorkerView {
    /// The name of this run of the worker.
    pub id: String,
    /// The queues that it works on.
    pub queues: Vec<String>,
    /// How many jobs it runs at once.
    pub concurrency: u32,
    /// How many jobs it held when it announced itself last, at most ten seconds ago.
    pub held: u32,
    /// Host and process, as free text.
    pub host: String,
    /// It claims nothing more, and ends with its last job.
    pub draining: bool,
    /// It claims nothing until a person resumes it.
    pub paused: bool,
    /// Milliseconds since its run began, by the store's time; `None` if it does not say.
    pub up_ms: Option<u64>,
    /// What a worker of this library says about itself, such as the jobs that it holds.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<serde_json::Value>))]
    pub about: Option<AboutWorker>,
}

impl WorkerView {
    /// All that a worker announced, at a time of its store.
    pub fn of(worker: &WorkerInfo, now: Timestamp) -> Self {
        Self::seen(worker, now, |_| true)
    }

    /// What a reader may see who may see only some queues: the names of these, and `about` only if
    /// they are all, since it names the jobs and queues of the worker.
    pub fn seen(worker: &WorkerInfo, now: Timestamp, may_see: impl Fn(&QueueName) -> bool) -> Self {
        let about = AboutWorker::read(&worker.about);
        let started_at = about.as_ref().and_then(|about| about.started_at);
        let up = started_at.map(|start| now.since(start).as_millis());
        let queues = worker.queues.iter().filter(|queue| may_see(queue));
        Self {
            id: worker.id.to_string(),
            queues: queues.map(ToString::to_string).collect(),
            concurrency: worker.concurrency,
            held: worker.held,
            host: worker.host.clone(),
            draining: worker.duty == Duty::Drain,
            paused: worker.duty == Duty::Pause,
            up_ms: up.and_then(|up| u64::try_from(up).ok()),
            about: about.filter(|_| worker.queues.iter().all(may_see)),
        }
    }
}

/// Whether a worker runs nothing but jobs of the library, as that of `queue serve` for operations
/// does. People who look for their workers do not mean it.
pub fn is_library_worker(worker: &WorkerInfo) -> bool {
    !worker.queues.is_empty() && worker.queues.iter().all(QueueName::is_reserved)
}

/// Whether a worker claims the jobs of a queue: one that drains or pauses does not.
pub fn works_on(worker: &WorkerInfo, queue: &QueueName) -> bool {
    worker.duty == Duty::Work && worker.queues.contains(queue)
}

/// What a worker does now, as the verb of a sentence about it.
pub const fn duty_word(duty: Duty) -> &'static str {
    match duty {
        Duty::Drain => "drains",
        Duty::Pause => "pauses",
        _ => "works",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queue_core::WorkerId;

    #[test]
    fn a_reader_of_one_queue_does_not_see_the_jobs_of_a_worker_of_two() {
        let mut worker = WorkerInfo::new(WorkerId::new("w").unwrap());
        worker.queues = ["mail", "pay"].map(|name| QueueName::new(name).unwrap()).to_vec();
        let started_at = Some(Timestamp::from_millis(1_000));
        worker.about = AboutWorker { started_at, ..AboutWorker::default() }.to_bytes();
        let now = Timestamp::from_millis(3_500);

        let whole = WorkerView::of(&worker, now);
        assert_eq!((whole.queues.len(), whole.up_ms, whole.about.is_some()), (2, Some(2_500), true));
        let part = WorkerView::seen(&worker, now, |queue| queue.as_str() == "mail");
        assert_eq!((part.queues, part.up_ms, part.about), (vec!["mail".to_owned()], Some(2_500), None));
    }
}
