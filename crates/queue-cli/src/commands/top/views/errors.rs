//! The failures of a queue in groups.

use super::super::{
    sheet::{Block, Sheet, SheetRow, Tone},
    source::Source,
    subject::Subject,
};
use crate::{commands::jobs::errors, exit::CliError};
use queue::{queue_core::QueueName, view::FailureGroups};

pub(super) async fn read(queue: &QueueName, source: &Source) -> Result<Sheet, CliError> {
    let found = FailureGroups::read(&**source.jobs(queue).await?.storage(), queue, None).await?;
    let rows = found.groups.iter().map(|group| SheetRow {
        subject: group.examples.first().map_or(Subject::None, |id| Subject::Job(queue.clone(), id.clone())),
        tone: Tone::Plain,
        cells: errors::row(group, found.now),
    });
    Ok(Sheet {
        subject: Subject::Queue(queue.clone()),
        columns: &errors::COLUMNS,
        rows: rows.collect(),
        empty: "Nothing has failed.",
        tail: vec![Block::dim(errors::words(found.looked_at()))],
        ..Sheet::default()
    })
}
