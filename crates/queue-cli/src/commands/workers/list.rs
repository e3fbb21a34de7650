//! The command `queue workers`: the table of all workers that are present in a store.

use crate::{
    commands::watch::WatchArgs,
    exit::{CliError, Exit},
    output::{self, Column, Format, Output, age},
    session::{Jobs, Missing, Session},
};
use clap::Args;
use queue::{
    queue_core::{Detail, QueueName, Timestamp, WorkerInfo},
    view::{AboutWorker, WorkerView, duty_word, is_library_worker},
};
use serde_json::json;

#[derive(Debug, Args)]
#[command(after_help = "\
Workers announce themselves every ten seconds, so the list may be that old; a worker that died is listed for half a minute more. The worker of `queue serve` that runs operations is not listed. \
With --json each worker is a line with all that it announces, including its current jobs.")]
pub(crate) struct WorkersArgs {
    #[command(flatten)]
    watch: WatchArgs,
}

/// Lists all workers of the store, for every queue.
pub(crate) async fn run(args: WorkersArgs, session: &Session) -> Result<Exit, CliError> {
    session
        .with_jobs_or_service(Missing::Refuse, async |jobs| {
            let look = async |out| list(jobs, out).await;
            args.watch.run(session.out, look).await
        })
        .await
}

async fn list(jobs: &Jobs, out: Output) -> Result<(), CliError> {
    let mut workers = jobs.storage().workers().await?;
    workers.retain(|worker| !is_library_worker(worker));
    // A read of no job returns the time of the store, in which workers report when they started.
    let now = jobs.storage().get(jobs.name(), &[], Detail::Meta).await?.now;
    match out.format() {
        Format::Json => {
            workers.iter().try_for_each(|worker| out.object(&json!(WorkerView::of(worker, now))))?;
        }
        Format::Human => out.text(output::table(COLUMNS, workers.iter().map(|worker| row(worker, now))))?,
    }
    Ok(())
}

pub(crate) const COLUMNS: [Column; 8] = [
    Column::text("WORKER"),
    Column::whole("DOES"),
    Column::whole("HOLDS"),
    Column::whole("UP").plain(""),
    Column::whole("VERSION").plain(""),
    Column::text("QUEUES"),
    Column::text("KINDS"),
    Column::text("WHERE"),
];

/// A worker in the listing.
pub(crate) fn row(worker: &WorkerInfo, now: Timestamp) -> Vec<String> {
    let about = AboutWorker::read(&worker.about).unwrap_or_default();
    let queues: Vec<&str> = worker.queues.iter().map(QueueName::as_str).collect();
    vec![
        worker.id.to_string(),
        duty_word(worker.duty).to_owned(),
        format!("{} of {}", worker.held, worker.concurrency),
        about.started_at.map(|start| age(now.since(start))).unwrap_or_default(),
        about.version.clone(),
        queues.join(", "),
        about.kinds_text(),
        worker.host.clone(),
    ]
}
