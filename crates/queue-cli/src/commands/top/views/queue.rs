//! One queue: its counts, its last hour, and its kinds.

use super::super::{
    sheet::{Block, Sheet, SheetRow, Tone},
    source::Source,
    subject::Subject,
};
use crate::{
    commands::queues::pauses,
    commands::queues::series,
    exit::{CliError, Exit},
    output::{Chart, Column, Text, age, table},
};
use queue::{
    Kind, SeriesReading, State, StorageExt, WorkCounts, WorkOutcome,
    queue_core::{QueueName, QueueStatus},
};

/// The most kinds that are shown, the most frequent.
const KINDS_MAX: usize = 200;

const COUNTS: [Column; 9] = [
    Column::whole("DUE"),
    Column::whole("SCHEDULED"),
    Column::whole("GATED").plain("0"),
    Column::whole("PROCESSING"),
    Column::whole("FAILING"),
    Column::whole("FAILED"),
    Column::whole("COMPLETED"),
    Column::whole("CANCELLED"),
    Column::whole("OLDEST DUE"),
];

const COLUMNS: [Column; 6] = [
    Column::text("KIND"),
    Column::whole("COMPLETED"),
    Column::whole("FAILING"),
    Column::whole("FAILED"),
    Column::whole("RUN p50 / p95 / p99"),
    Column::whole("WAIT p50 / p95 / p99"),
];

pub(super) async fn read(queue: &QueueName, source: &Source) -> Result<Sheet, CliError> {
    let storage = source.storage().await?;
    let Some(status) = storage.status_of(queue).await? else {
        return Err(CliError::new(Exit::NotFound, format!("there is no queue {queue:?} in this store")));
    };
    let hour = source.hour(queue).await?.map(|hour| hour.of_queue(queue));
    Ok(sheet(&status, hour.as_ref()))
}

fn sheet(status: &QueueStatus, hour: Option<&SeriesReading>) -> Sheet {
    let mut head: Vec<Block> = pauses::sentences(status.pause, &status.paused_kinds)
        .into_iter()
        .map(|sentence| Block::new(Tone::Warn, sentence))
        .collect();
    head.push(Block::plain(counts(status)));
    head.push(Block::plain(""));
    let work = hour.and_then(|hour| series::table(hour, Chart::Columns));
    match work {
        Some(work) => head.push(Block::plain(work)),
        None => head.push(Block::dim("No worker counted anything in the last hour.")),
    }
    head.push(Block::plain(""));
    Sheet {
        subject: Subject::Queue(status.name.clone()),
        head,
        columns: &COLUMNS,
        rows: hour.map(|hour| kinds(&status.name, hour)).unwrap_or_default(),
        ..Sheet::default()
    }
}

fn counts(status: &QueueStatus) -> Text {
    let counts = &status.counts;
    let oldest = counts.oldest_due.map_or_else(|| "-".to_owned(), |due| age(counts.now.since(due)));
    let row = vec![
        counts.due().to_string(),
        counts.scheduled.to_string(),
        counts.gated.to_string(),
        counts.of(State::Processing).to_string(),
        counts.of(State::Failing).to_string(),
        counts.of(State::Failed).to_string(),
        counts.of(State::Completed).to_string(),
        counts.of(State::Cancelled).to_string(),
        oldest,
    ];
    Text::from(table(COUNTS, [row]))
}

fn kinds(queue: &QueueName, hour: &SeriesReading) -> Vec<SheetRow> {
    let mut kinds: Vec<(Kind, WorkCounts)> = hour.series.kinds(hour.last(60)).into_iter().collect();
    kinds.sort_by_key(|(kind, counts)| (std::cmp::Reverse(attempts(counts)), kind.clone()));
    kinds.iter().take(KINDS_MAX).map(|(kind, counts)| row(queue, kind, counts)).collect()
}

fn attempts(counts: &WorkCounts) -> u64 {
    WorkOutcome::ALL.into_iter().map(|outcome| counts.of(outcome)).sum()
}

fn row(queue: &QueueName, kind: &Kind, counts: &WorkCounts) -> SheetRow {
    SheetRow {
        subject: Subject::JobKind(queue.clone(), kind.clone()),
        tone: Tone::Plain,
        cells: vec![
            kind.to_string(),
            counts.of(WorkOutcome::Completed).to_string(),
            counts.of(WorkOutcome::Failing).to_string(),
            counts.of(WorkOutcome::Failed).to_string(),
            series::percentiles(counts.run()),
            series::percentiles(counts.wait()),
        ],
    }
}
