//! Whether each job was redriven once, by its record and by its handler rather than by the counts
//! of the operation.

use super::{FAILED_KIND, load::Load};
use crate::{
    failed::{Failed, require},
    many::{QUEUE, number_of},
};
use queue::{
    JobMeta, Kind, ListFilter, State, Storage,
    queue_core::{ListQuery, QueueName},
};

const PAGE: usize = 1_000;

/// What the jobs have become.
#[derive(Debug, Default)]
struct Found {
    waiting: u64,
    failed_again: u64,
    given_back: u64,
}

/// A redriven job has one revision more. One that ran since has one claim more, and its handler ran
/// once: it has failed again, so a second redrive would have made it run twice.
pub(super) async fn each_is_redriven_once(
    storage: &dyn Storage,
    before: &JobMeta,
    jobs: u64,
    load: &Load,
) -> Result<(), Failed> {
    let filter = ListFilter { kind: Some(Kind::from_static(FAILED_KIND)), ..ListFilter::default() };
    let mut query = ListQuery::all(QueueName::from_static(QUEUE), PAGE).matching(filter);
    let mut seen = vec![false; usize::try_from(jobs)?];
    let mut found = Found::default();
    loop {
        let page = storage.list(query.clone()).await?;
        for job in &page.jobs {
            let number = usize::try_from(number_of(&job.id).ok_or("an id of another job")?)?;
            let twice = std::mem::replace(&mut seen[number], true);
            require(!twice, || format!("{} is listed twice", job.id))?;
            found.look_at(job, before, load.runs_of(number))?;
        }
        let Some(next) = page.next else { break };
        query.after = Some(next);
    }
    let Found { waiting, failed_again, given_back } = found;
    println!(
        "  by their records: {waiting} wait, {failed_again} ran once and failed again, {given_back} given back"
    );
    let sum = waiting + failed_again + given_back;
    require(sum == jobs, || format!("{sum} of {jobs} jobs were redriven once"))
}

impl Found {
    fn look_at(&mut self, job: &JobMeta, before: &JobMeta, runs: u8) -> Result<(), Failed> {
        let [revisions, claims] = [job.revision - before.revision, job.epoch - before.epoch];
        match (job.state, claims, runs) {
            (State::Queued, 0, 0) if revisions == 1 => self.waiting += 1,
            (State::Failed, 1, 1) => self.failed_again += 1,
            // Claimed ahead of time by a worker that stopped.
            (State::Queued, _, 0) => self.given_back += 1,
            _ => return Err(format!("{revisions} revisions, {claims} claims, {runs} runs: {job:?}").into()),
        }
        Ok(())
    }
}
