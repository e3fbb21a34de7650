//! The changes of many jobs, the newest first.

use super::super::{
    sheet::{Block, Sheet, SheetRow, Tone},
    source::Source,
    subject::Subject,
};
use crate::{commands::change::operations, exit::CliError};
use queue::{
    UnreadableJob,
    operations::{OperationStatus, Operations},
    queue_core::Cursor,
};

/// The operations of a page.
const PAGE: usize = 50;

pub(super) async fn read(after: Option<&Cursor>, source: &Source) -> Result<Sheet, CliError> {
    let storage = source.storage().await?.clone();
    let page = Operations::of(storage).page(after.cloned(), PAGE).await?;
    let more = page.next.as_ref().map(|_| Block::dim("Press n for the next page."));
    Ok(Sheet {
        columns: &operations::COLUMNS,
        rows: page.operations.iter().map(row).chain(page.unreadable.iter().map(unreadable)).collect(),
        empty: "No operation is on record.",
        tail: more.into_iter().collect(),
        next: page.next,
        ..Sheet::default()
    })
}

fn row(status: &OperationStatus) -> SheetRow {
    let tone = match (status.error().is_some(), status.is_over()) {
        (true, _) => Tone::Bad,
        (_, false) => Tone::Good,
        _ => Tone::Plain,
    };
    SheetRow { subject: Subject::None, tone, cells: operations::row(status) }
}

fn unreadable(unreadable: &UnreadableJob) -> SheetRow {
    SheetRow { subject: Subject::None, tone: Tone::Warn, cells: operations::unreadable_row(unreadable) }
}
