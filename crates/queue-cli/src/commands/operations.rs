//! The command `queue operations`: the changes of many jobs, with what became of them.

use super::operation;
use crate::{
    exit::{CliError, Exit},
    output::{self, Column, Format},
    session::{Missing, Session},
};
use clap::Args;
use queue::operations::{OperationStatus, Operations};

#[derive(Debug, Args)]
#[command(after_help = "Operations of all queues of the store, the newest first. Each is kept for 90 days.")]
pub(crate) struct OperationsArgs {}

pub(crate) async fn run(_: &OperationsArgs, session: &Session) -> Result<Exit, CliError> {
    let found = session
        .with_jobs(Missing::Refuse, async |jobs| Ok(Operations::of(jobs.storage().clone()).list().await?))
        .await?;
    match session.out.format() {
        Format::Json => {
            found.iter().try_for_each(|status| session.out.object(&operation::object(status, "done")))?;
        }
        Format::Human => session.out.text(output::table(COLUMNS, found.iter().map(row)))?,
    }
    Ok(Exit::Ok)
}

pub(super) const COLUMNS: [Column; 8] = [
    Column::text("OPERATION"),
    Column::text("QUEUE"),
    Column::whole("ACTION"),
    Column::whole("STATE"),
    Column::whole("DONE"),
    Column::whole("SKIPPED"),
    Column::whole("FAILED"),
    Column::text("ERROR").plain(""),
];

/// An operation in the listing.
pub(super) fn row(status: &OperationStatus) -> Vec<String> {
    let counts = status.counts();
    vec![
        status.id().to_owned(),
        status.spec().queue.to_string(),
        status.spec().action.to_string(),
        status.meta().state.to_string(),
        counts.done.to_string(),
        counts.skipped.to_string(),
        counts.failed.to_string(),
        status.error().unwrap_or_default().to_owned(),
    ]
}
