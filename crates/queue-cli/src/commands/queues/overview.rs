//! The command `queue queues`: the table of all queues of a store, with their jobs by state.

use super::pauses;
use crate::{
    commands::watch::WatchArgs,
    exit::{CliError, Exit},
    output::{self, Column, Format, Output, age},
    session::{Jobs, Missing, Session},
};
use clap::Args;
use queue::{
    State,
    queue_core::{QueueStatus, QueuesQuery},
    view::QueueView,
};
use serde_json::json;

#[derive(Debug, Args)]
pub(crate) struct QueuesArgs {
    #[command(flatten)]
    watch: WatchArgs,
}

pub(crate) async fn run(args: QueuesArgs, session: &Session) -> Result<Exit, CliError> {
    session
        .with_jobs_or_service(Missing::Refuse, async |jobs| {
            let look = async |out| list(jobs, out).await;
            args.watch.run(session.out, look).await
        })
        .await
}

/// JSON is written page by page; a table needs its widths first.
async fn list(jobs: &Jobs, out: Output) -> Result<(), CliError> {
    let mut rows = Vec::new();
    let mut next = Some(QueuesQuery::all(QueuesQuery::LIMIT_MAX));
    while let Some(query) = next {
        let page = jobs.storage().queues(query).await?;
        for status in &page.queues {
            match out.format() {
                Format::Json => out.object(&json!(QueueView::of(status)))?,
                Format::Human => rows.push(row(status)),
            }
        }
        next = page.next;
    }
    if out.format() == Format::Human {
        out.text(output::table(COLUMNS, rows))?;
    }
    Ok(())
}

const COLUMNS: [Column; 11] = [
    Column::text("QUEUE"),
    Column::whole("PAUSED").plain(""),
    Column::whole("DUE"),
    Column::whole("SCHEDULED"),
    Column::whole("GATED").plain("0"),
    Column::whole("PROCESSING"),
    Column::whole("FAILING"),
    Column::whole("COMPLETED"),
    Column::whole("FAILED"),
    Column::whole("CANCELLED"),
    Column::whole("OLDEST DUE").plain(""),
];

/// Failed jobs that wait for another attempt are counted among the due or the scheduled ones.
fn row(QueueStatus { name, pause, paused_kinds, counts }: &QueueStatus) -> Vec<String> {
    let oldest = counts.oldest_due.map(|due| age(counts.now.since(due)));
    vec![
        name.to_string(),
        pauses::cell(*pause, paused_kinds),
        counts.due().to_string(),
        counts.scheduled.to_string(),
        counts.gated.to_string(),
        counts.of(State::Processing).to_string(),
        counts.of(State::Failing).to_string(),
        counts.of(State::Completed).to_string(),
        counts.of(State::Failed).to_string(),
        counts.of(State::Cancelled).to_string(),
        oldest.unwrap_or_default(),
    ]
}
