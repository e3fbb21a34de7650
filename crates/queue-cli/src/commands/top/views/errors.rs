//! The failures of a queue in groups.

use super::super::{
    super::errors::{self, ErrorGroups},
    sheet::{Block, Sheet, SheetRow, Tone},
    source::Source,
    subject::Subject,
};
use crate::exit::CliError;
use queue::{JobId, queue_core::QueueName};

/// How many of the newest jobs of each of the two states are read.
const LOOKED_AT_MAX: usize = 500;

pub(super) async fn read(queue: &QueueName, source: &Source) -> Result<Sheet, CliError> {
    let ErrorGroups { groups, looked_at, now } =
        errors::read(&source.jobs(queue).await?, LOOKED_AT_MAX).await?;
    let rows = groups.iter().map(|(key, group)| SheetRow {
        // The example is the newest of the group.
        subject: JobId::new(&group.example).map_or(Subject::None, |id| Subject::Job(queue.clone(), id)),
        tone: Tone::Plain,
        cells: errors::row(key, group, now),
    });
    Ok(Sheet {
        subject: Subject::Queue(queue.clone()),
        columns: &errors::COLUMNS,
        rows: rows.collect(),
        empty: "Nothing has failed.",
        tail: vec![Block::dim(errors::words(looked_at))],
        ..Sheet::default()
    })
}
