//! The workers that are present, and what one of them runs.

use super::super::{
    sheet::{Block, Sheet, SheetRow, Tone},
    source::Source,
    subject::Subject,
};
use crate::{
    commands::workers::list as workers,
    exit::{CliError, Exit},
    output::{self, Column, age},
};
use queue::{
    JobId, WorkerId,
    operations::OPERATIONS_QUEUE,
    queue_core::{Duty, QueueName, Timestamp, WorkerInfo},
    view::{AboutWorker, CurrentJob, is_library_worker},
};

/// The most workers that are shown, those that hold the most.
const SHOWN_MAX: usize = 200;

const JOBS: [Column; 4] =
    [Column::text("RUNS"), Column::text("QUEUE"), Column::whole("ATTEMPT"), Column::whole("FOR")];

pub(super) async fn all(source: &Source) -> Result<Sheet, CliError> {
    let (mut found, now) = read(source).await?;
    found.retain(|worker| !is_library_worker(worker));
    found.sort_by(|one, other| other.held.cmp(&one.held).then_with(|| one.id.cmp(&other.id)));
    let left_out = found.len().saturating_sub(SHOWN_MAX);
    let row = |worker: &WorkerInfo| SheetRow {
        subject: Subject::Worker(worker.id.clone()),
        tone: tone(worker),
        cells: workers::row(worker, now),
    };
    let tail = (left_out > 0).then(|| Block::dim(format!("{left_out} more are left out.")));
    Ok(Sheet {
        columns: &workers::COLUMNS,
        rows: found.iter().take(SHOWN_MAX).map(row).collect(),
        empty: "No worker is present.",
        tail: tail.into_iter().collect(),
        ..Sheet::default()
    })
}

pub(super) async fn one(id: &WorkerId, source: &Source) -> Result<Sheet, CliError> {
    let (found, now) = read(source).await?;
    let Some(worker) = found.iter().find(|worker| worker.id == *id) else {
        return Err(CliError::new(Exit::NotFound, format!("the worker {id:?} is not present any more")));
    };
    let about = AboutWorker::read(&worker.about).unwrap_or_default();
    let names = workers::COLUMNS.iter().map(Column::name);
    let pairs = output::pairs(names.zip(workers::row(worker, now)));
    Ok(Sheet {
        subject: Subject::Worker(id.clone()),
        head: vec![Block::new(tone(worker), pairs), Block::plain("")],
        columns: &JOBS,
        rows: about.jobs.iter().map(|job| row(job, now)).collect(),
        empty: "It runs nothing now.",
        ..Sheet::default()
    })
}

/// The workers, and the store's time, by which they say when they began.
async fn read(source: &Source) -> Result<(Vec<WorkerInfo>, Timestamp), CliError> {
    let storage = source.storage().await?;
    if !storage.capabilities().presence {
        return Err(CliError::new(Exit::Unusable, "this store does not tell who works on it"));
    }
    let found = storage.workers().await?;
    Ok((found, source.now(&QueueName::from_static(OPERATIONS_QUEUE)).await?))
}

fn row(job: &CurrentJob, now: Timestamp) -> SheetRow {
    let names = QueueName::new(&job.queue).ok().zip(JobId::new(&job.id).ok());
    SheetRow {
        subject: names.map_or(Subject::None, |(queue, id)| Subject::Job(queue, id)),
        tone: Tone::Plain,
        cells: vec![job.id.clone(), job.queue.clone(), job.attempt.to_string(), age(now.since(job.since))],
    }
}

fn tone(worker: &WorkerInfo) -> Tone {
    if worker.duty == Duty::Work { Tone::Plain } else { Tone::Warn }
}
