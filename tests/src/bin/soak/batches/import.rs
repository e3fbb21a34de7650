//! The jobs of a run, in batches or in none.

use crate::{
    failed::{Failed, require},
    many::{COMPLETES, Expected, FAILS, QUEUE, REPORTS, numbered_job, store},
};
use queue::{
    JobKind, ListFilter, Queue, State, Storage,
    batches::{Batch, BatchEnd, BatchLife, CallbackMoment},
    queue_core::{JobMeta, ListQuery, QueueName},
};
use std::{sync::Arc, time::Duration};
use tokio::time::sleep;

const REPORT: JobKind<BatchEnd<Expected>> = JobKind::new(REPORTS);
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// The jobs of one call.
const CHUNK: usize = 500;
const PAGE: usize = 1_000;

/// How many jobs, and in how many batches they are. Without batches they are plain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Import {
    pub(super) jobs: u64,
    pub(super) batches: u64,
}

impl Import {
    /// Jobs without a batch.
    pub(super) const fn plain(jobs: u64) -> Self {
        Self { jobs, batches: 0 }
    }

    /// Enqueues all of it, and waits until the jobs and the callbacks have ended.
    pub(super) async fn run(&self, storage: &Arc<dyn Storage>) -> Result<(), Failed> {
        let queue: Queue<String> = Queue::new(storage.clone(), QUEUE)?;
        if self.batches == 0 {
            for first in (0..self.jobs).step_by(CHUNK) {
                store(&**storage, (first..self.jobs.min(first + CHUNK as u64)).map(numbered_job).collect())
                    .await?;
            }
            return until_done(&**storage).await;
        }
        let mut batches = Vec::new();
        for number in 0..self.batches {
            batches.push(open(&queue, &format!("import-{number}"), self.members()).await?);
        }
        for batch in &batches {
            add(batch, self.members()).await?;
            batch.seal().await?;
        }
        for batch in &batches {
            let _report = until_reported(&queue, batch).await?;
        }
        Ok(())
    }

    /// Every job has ended as it should, and every batch, whose callback ran once and found every
    /// member counted once.
    pub(super) async fn check(&self, storage: &dyn Storage) -> Result<(), Failed> {
        let mut query = ListQuery::all(QueueName::from_static(QUEUE), PAGE).matching(ListFilter::default());
        let mut found = Found::default();
        loop {
            let page = storage.list(query.clone()).await?;
            page.jobs.iter().try_for_each(|job| found.look_at(job))?;
            let Some(next) = page.next else { break };
            query.after = Some(next);
        }
        let each = if self.batches == 0 { Expected::of(self.jobs) } else { Expected::of(self.members()) };
        let lots = self.batches.max(1);
        let Found { completed, failed, reports } = found;
        let all = (completed, failed, reports) == (each.completed * lots, each.failed * lots, self.batches);
        require(all, || format!("not all have ended: {found:?}"))?;
        println!("    {completed} completed, {failed} failed, {reports} callbacks counted each once");
        Ok(())
    }

    fn members(&self) -> u64 {
        self.jobs / self.batches
    }
}

/// Opens a batch whose callback expects this number of members.
pub(super) async fn open(queue: &Queue<String>, name: &str, members: u64) -> Result<Batch<String>, Failed> {
    Ok(queue.batch(name).on_end(REPORT, &Expected::of(members)).open().await?)
}

/// Adds members.
pub(super) async fn add(batch: &Batch<String>, members: u64) -> Result<(), Failed> {
    for first in (0..members).step_by(CHUNK) {
        let jobs = (first..members.min(first + CHUNK as u64)).map(numbered_job).collect();
        let _answers = batch.add_jobs(jobs).await?;
    }
    Ok(())
}

/// Waits until the callback of a batch has ended. Answers its record.
pub(super) async fn until_reported(queue: &Queue<String>, batch: &Batch<String>) -> Result<JobMeta, Failed> {
    let id = BatchLife::new(batch.name().clone(), batch.seq()).callback(CallbackMoment::End);
    loop {
        match queue.status(id.clone()).await? {
            Some(status) if status.meta.state.is_terminal() => return Ok(status.meta),
            _ => sleep(LOOK_EVERY).await,
        }
    }
}

/// Waits until nothing is left to do, for the library's own jobs either; open batches may be left.
pub(super) async fn until_done(storage: &dyn Storage) -> Result<(), Failed> {
    loop {
        let counts = storage.counts(&QueueName::from_static(QUEUE)).await?;
        if counts.unfinished() == counts.gated {
            return Ok(());
        }
        sleep(LOOK_EVERY).await;
    }
}

/// What the records say.
#[derive(Debug, Default)]
struct Found {
    completed: u64,
    failed: u64,
    reports: u64,
}

impl Found {
    fn look_at(&mut self, job: &JobMeta) -> Result<(), Failed> {
        match (job.kind.as_str(), job.state) {
            (COMPLETES, State::Completed) => self.completed += 1,
            (FAILS, State::Failed) => self.failed += 1,
            (REPORTS, State::Completed) => self.reports += 1,
            (_, State::Completed) if job.kind.is_reserved() => {}
            _ => return Err(format!("a job that should not be: {job:?}").into()),
        }
        Ok(())
    }
}
