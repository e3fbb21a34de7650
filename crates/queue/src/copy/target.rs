//! Whether a queue of the target may be filled.

use super::StoreCopy;
use queue_core::{Detail, Error, JobId, ListQuery, QueueName, Result, Storage, StorageExt};

const PAGE: usize = 1_000;

impl StoreCopy {
    /// Whether a queue of the target may be filled.
    pub(super) async fn check_target(&self, queue: &QueueName) -> Result<()> {
        if self.adds {
            return Ok(());
        }
        let to = &*self.to;
        let Some(status) = to.status_of(queue).await? else { return Ok(()) };
        // A copy that was begun has paused it.
        if !status.pause.is_on() {
            let message = format!(
                "the target has a queue {queue:?} that is not paused, so it may be worked on already; \
                 pause it to go on with a copy, or ask to add to it"
            );
            return Err(Error::invalid("copy", message));
        }
        if status.counts.total() == 0 {
            return Ok(());
        }
        let foreign = foreign(&*self.from, to, queue).await?;
        match foreign.first {
            None => Ok(()),
            Some(id) => Err(Error::invalid(
                "copy",
                format!(
                    "the queue {queue:?} of the target has {} jobs that the source does not have, {id:?} among them; \
                 empty it, or ask to add to it",
                    foreign.count
                ),
            )),
        }
    }
}

/// Jobs that only the target has.
#[derive(Debug, Default)]
pub(super) struct ForeignJobs {
    pub(super) count: u64,
    pub(super) first: Option<JobId>,
}

/// The jobs of a queue of the target whose ids the source does not have. A record whose purge time
/// comes meanwhile is none: the clocks of the stores may differ a little.
pub(super) async fn foreign(from: &dyn Storage, to: &dyn Storage, queue: &QueueName) -> Result<ForeignJobs> {
    let mut foreign = ForeignJobs::default();
    let mut query = ListQuery::all(queue.clone(), PAGE);
    loop {
        let page = to.list(query.clone()).await?;
        let ids: Vec<JobId> = page.jobs.iter().map(|job| job.id.clone()).collect();
        let found = from.get(queue, &ids, Detail::Meta).await?;
        for (job, there) in page.jobs.into_iter().zip(&found.value) {
            if there.is_none() && !job.is_purged(found.now) {
                foreign.count += 1;
                foreign.first.get_or_insert(job.id);
            }
        }
        let Some(next) = page.next else { return Ok(foreign) };
        query.after = Some(next);
    }
}
