//! Whether each acknowledged job ran to its end, by the records and by the logs of the handlers.

use super::handler_log::HandlerRun;
use crate::{
    failed::{Failed, require},
    many::QUEUE,
};
use queue::{
    JobId, State, Storage,
    queue_core::{ListQuery, QueueName},
};
use std::collections::HashSet;

const PAGE: usize = 1_000;

/// Each acknowledged job is completed, and there are no others.
pub(super) async fn all_are_completed(
    storage: &dyn Storage,
    acknowledged: &HashSet<JobId>,
) -> Result<(), Failed> {
    let mut query = ListQuery::all(QueueName::from_static(QUEUE), PAGE);
    let mut found = 0;
    loop {
        let page = storage.list(query.clone()).await?;
        for job in &page.jobs {
            require(acknowledged.contains(&job.id), || format!("a job that no producer enqueued: {job:?}"))?;
            require(job.state == State::Completed, || format!("a job that is not completed: {job:?}"))?;
        }
        found += page.jobs.len();
        let Some(next) = page.next else { break };
        query.after = Some(next);
    }
    let lost = acknowledged.len() - found;
    require(lost == 0, || format!("{lost} of {} acknowledged jobs are lost", acknowledged.len()))
}

/// A handler of each acknowledged job returned, and no other job had one. Answers how many handlers
/// ran beyond one of each job.
pub(super) fn all_had_a_handler(runs: &[HandlerRun], acknowledged: &HashSet<JobId>) -> Result<usize, Failed> {
    let mut ended = HashSet::new();
    let mut claims = HashSet::new();
    for run in runs {
        let is_known = acknowledged.contains(&*run.job);
        require(is_known, || format!("a handler of a job that no producer enqueued: {run:?}"))?;
        require(claims.insert((&*run.job, run.epoch)), || format!("two handlers have one lease: {run:?}"))?;
        if run.has_ended {
            ended.insert(&*run.job);
        }
    }
    let without = acknowledged.len() - ended.len();
    require(without == 0, || format!("{without} jobs are completed, and no handler of theirs returned"))?;
    Ok(runs.len() - acknowledged.len())
}
