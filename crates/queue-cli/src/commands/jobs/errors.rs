//! The command `queue errors`: groups failed and failing jobs by kind and error, and prints a table
//! of the groups.

use crate::{
    commands::{change::filter_args, jobs::all_queues, watch::WatchArgs},
    exit::{CliError, Exit},
    output::{self, Column, Format, Output, age, plural},
    parse,
    session::{Jobs, Missing, Session},
};
use clap::Args;
use queue::{
    JobId,
    queue_core::Timestamp,
    view::{FailureGroup, FailureGroups},
};
use serde_json::json;
use std::time::Duration;

#[derive(Debug, Args)]
#[command(after_help = "\
Reads the newest 1,000 failed jobs and as many failing ones. Messages count as equal if they differ only in numbers, \
hexadecimals, UUIDs and quoted text. With --all-queues the queues share this bound.")]
pub(crate) struct ErrorsArgs {
    /// Of all queues, in place of one
    #[arg(long)]
    all_queues: bool,
    /// Only jobs that failed within this time, such as `1h`
    #[arg(long, value_name = "TIME", value_parser = parse::duration)]
    since: Option<Duration>,
    #[command(flatten)]
    watch: WatchArgs,
}

pub(crate) async fn run(args: ErrorsArgs, session: &Session) -> Result<Exit, CliError> {
    session
        .with_jobs_or_service(Missing::Refuse, async |jobs| {
            let look = async |out| show(&args, jobs, out).await;
            args.watch.run(session.out, look).await
        })
        .await
}

async fn show(args: &ErrorsArgs, jobs: &Jobs, out: Output) -> Result<(), CliError> {
    let found = read(args, jobs).await?;
    match out.format() {
        Format::Json => found.groups.iter().try_for_each(|group| {
            let mut object = json!(group);
            object["looked_at"] = found.looked_at().into();
            out.object(&object)
        })?,
        Format::Human => {
            let groups = found.groups.iter();
            let table = if args.all_queues {
                let columns = all_queues::with_queue(&COLUMNS);
                let rows = groups.map(|group| all_queues::cells(&group.queue, row(group, found.now)));
                output::table(columns, rows)
            } else {
                output::table(COLUMNS, groups.map(|group| row(group, found.now)))
            };
            out.text(output::Text::from(table).and_apart(words(found.looked_at())))?;
            all_queues::note_left_out(found.left_out);
        }
    }
    Ok(())
}

async fn read(args: &ErrorsArgs, jobs: &Jobs) -> Result<FailureGroups, CliError> {
    let storage = &**jobs.storage();
    let since = match args.since {
        Some(since) => Some(filter_args::ago(jobs, since).await?),
        None => None,
    };
    if !args.all_queues {
        return Ok(FailureGroups::read(storage, jobs.name(), since).await?);
    }
    Ok(FailureGroups::read_across(storage, &all_queues::of(jobs).await?, since).await?)
}

/// How many jobs the groups were made of.
pub(crate) fn words(looked_at: u64) -> String {
    format!("Looked at the newest {} that failed or are failing.", plural(looked_at, "job", "jobs"))
}

pub(crate) const COLUMNS: [Column; 7] = [
    Column::whole("FAILED"),
    Column::whole("FAILING"),
    Column::text("KIND").plain("default"),
    Column::text("ERROR"),
    Column::whole("FIRST"),
    Column::whole("LAST"),
    Column::text("EXAMPLE"),
];

/// A group in the listing.
pub(crate) fn row(group: &FailureGroup, now: Timestamp) -> Vec<String> {
    let ago = |at: Timestamp| format!("{} ago", age(now.since(at)));
    vec![
        group.failed.to_string(),
        group.failing.to_string(),
        group.kind.to_string(),
        format!("{}: {}", group.error_name, group.message),
        ago(group.first),
        ago(group.last),
        group.examples.first().map(JobId::to_string).unwrap_or_default(),
    ]
}
