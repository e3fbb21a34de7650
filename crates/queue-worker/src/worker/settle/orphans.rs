//! Followers that a settle could not store, since the job that they were to raise takes no more: a
//! member that adds another one to a batch that is over. The answer to a settle does not say so,
//! and the handler has returned, so the worker looks and reports it.

use super::settle_batch::PendingSettlement;
use crate::worker::{TRACE_TARGET, run::WorkerRun, watch::WorkerEvent};
use queue_core::{Applied, Detail, JobId, LibraryJob, NewJob, QueueName, State};
use std::collections::BTreeMap;

/// The followers of settles that were to raise another job, by queue.
pub(super) struct RaisingFollowers(BTreeMap<QueueName, Vec<Follower>>);

struct Follower {
    id: JobId,
    /// The job that it followed.
    of: JobId,
    raises: JobId,
}

impl RaisingFollowers {
    /// Those that followed settles which the store has. Jobs of the library's own raise themselves,
    /// which no job refuses.
    pub(super) fn of(pending: &[PendingSettlement], answers: &[Applied]) -> Self {
        let mut found: BTreeMap<QueueName, Vec<Follower>> = BTreeMap::new();
        for (PendingSettlement { settlement, .. }, answer) in pending.iter().zip(answers) {
            let job = settlement.seen();
            let is_stored = matches!(answer, Applied::Done(after) if after.state != State::Failing);
            if !is_stored || job.kind.is_reserved() {
                continue;
            }
            let raising = settlement.then().iter().filter_map(|new| Follower::of(new, &job.id));
            for follower in raising {
                found.entry(job.queue.clone()).or_default().push(follower);
            }
        }
        Self(found)
    }

    /// Reports those that are not there. It costs a read only where followers raise a job.
    pub(super) async fn report(self, run: &WorkerRun) {
        for (queue, followers) in self.0 {
            let ids: Vec<JobId> = followers.iter().map(|follower| follower.id.clone()).collect();
            let found = match run.storage.get(&queue, &ids, Detail::Meta).await {
                Ok(found) => found.value,
                Err(error) => {
                    run.report_error(error);
                    continue;
                }
            };
            let missing = followers.into_iter().zip(found).filter(|(_, found)| found.is_none());
            for (follower, _) in missing {
                follower.report(run, &queue);
            }
        }
    }
}

impl Follower {
    fn of(new: &NewJob, of: &JobId) -> Option<Self> {
        let raised = new.end_signals.iter().find(|signal| signal.raises)?;
        Some(Self { id: new.id.clone(), of: of.clone(), raises: raised.to.clone() })
    }

    fn report(self, run: &WorkerRun, queue: &QueueName) {
        let Self { id: follower, of: id, raises } = self;
        let batch = LibraryJob::batch_in(&raises).map(str::to_owned);
        tracing::warn!(
            target: TRACE_TARGET, %queue, job = %id, %follower, %raises, batch,
            "a job that was to follow is not enqueued: what it belongs to is over, or is not there"
        );
        run.events.emit(&WorkerEvent::FollowerOrphaned { queue: queue.clone(), id, follower, raises, batch });
    }
}
