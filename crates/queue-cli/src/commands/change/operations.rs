//! The command `queue operations`: changes of many jobs, with their outcome.

use crate::{
    exit::{CliError, Exit},
    output::{self, Column, Format},
    session::{Missing, Session},
};
use clap::Args;
use queue::{
    UnreadableJob,
    operations::{OperationStatus, Operations},
    view::UnreadableOperationView,
};
use serde_json::json;

#[derive(Debug, Args)]
#[command(after_help = "Operations of all queues of the store, the newest first. Each is kept for 90 days.")]
pub(crate) struct OperationsArgs {}

pub(crate) async fn run(_: &OperationsArgs, session: &Session) -> Result<Exit, CliError> {
    let found = session
        .with_jobs(Missing::Refuse, async |jobs| Ok(Operations::of(jobs.storage().clone()).list().await?))
        .await?;
    match session.out.format() {
        Format::Json => {
            let unreadable = found.unreadable.iter().map(|job| json!(UnreadableOperationView::from(job)));
            let mut all = found.operations.iter().map(|status| json!(status.view())).chain(unreadable);
            all.try_for_each(|one| session.out.object(&one))?;
        }
        Format::Human => {
            let rows = found.operations.iter().map(row).chain(found.unreadable.iter().map(unreadable_row));
            session.out.text(output::table(COLUMNS, rows))?;
        }
    }
    Ok(Exit::Ok)
}

pub(crate) const COLUMNS: [Column; 8] = [
    Column::text("OPERATION"),
    Column::whole("ACTION"),
    Column::whole("STATE"),
    Column::whole("DONE"),
    Column::whole("GONE").plain("0"),
    Column::whole("SKIPPED").plain("0"),
    Column::whole("FAILED").plain("0"),
    Column::text("ERROR").plain(""),
];

/// An operation that cannot be read here.
pub(crate) fn unreadable_row(unreadable: &UnreadableJob) -> Vec<String> {
    let dash = || "-".to_owned();
    let state = unreadable.meta().state.to_string();
    let why = unreadable.error().message().to_owned();
    vec![unreadable.name().to_owned(), dash(), state, dash(), dash(), dash(), dash(), why]
}

/// An operation in the listing.
pub(crate) fn row(status: &OperationStatus) -> Vec<String> {
    let counts = status.counts();
    vec![
        status.id().to_string(),
        status.spec().action.to_string(),
        status.meta().state.to_string(),
        counts.done.to_string(),
        counts.gone.to_string(),
        counts.skipped.to_string(),
        counts.failed.to_string(),
        status.error().unwrap_or_default().to_owned(),
    ]
}
