//! Whether each end was counted once, by the records of all jobs.

use super::jobs::{Members, queue};
use crate::{
    failed::{Failed, require},
    many::{COMPLETES, FAILS, WAITS},
};
use queue::{JobMeta, ListFilter, State, Storage, queue_core::ListQuery};

const PAGE: usize = 1_000;

/// What the records say.
#[derive(Debug, Default)]
struct Found {
    completed: u64,
    failed: u64,
    gates: u64,
    counted_completed: u64,
    counted_failed: u64,
}

/// Every job has ended as it should, and the gates together counted as many ends.
pub(super) async fn each_end_counts_once(storage: &dyn Storage, members: &Members) -> Result<(), Failed> {
    let mut query = ListQuery::all(queue(), PAGE).matching(ListFilter::default());
    let mut found = Found::default();
    loop {
        let page = storage.list(query.clone()).await?;
        for job in &page.jobs {
            found.look_at(job)?;
        }
        let Some(next) = page.next else { break };
        query.after = Some(next);
    }
    let Found { completed, failed, gates, counted_completed, counted_failed } = found;
    let all_ended = completed + failed == members.jobs && gates == members.gates;
    require(all_ended, || format!("not all have ended: {found:?}"))?;
    let counted = counted_completed == completed && counted_failed == failed;
    require(counted || gates == 0, || format!("counted otherwise than ended: {found:?}"))?;
    println!("    {completed} completed, {failed} failed, each counted once at {gates} gates");
    Ok(())
}

impl Found {
    fn look_at(&mut self, job: &JobMeta) -> Result<(), Failed> {
        match (job.kind.as_str(), job.state) {
            (COMPLETES, State::Completed) => self.completed += 1,
            (FAILS, State::Failed) => self.failed += 1,
            (WAITS, State::Completed) => {
                let gate = job.gate.as_deref().copied().ok_or("a gate is missing")?;
                require(gate.is_complete() && gate.needs == gate.signals, || format!("{job:?}"))?;
                self.gates += 1;
                self.counted_completed += gate.tally.completed;
                self.counted_failed += gate.tally.failed;
            }
            _ => return Err(format!("a job that should not be: {job:?}").into()),
        }
        Ok(())
    }
}
