//! The command `queue list`: its arguments, and the table that it prints.

use crate::{
    commands::change::filter_args::FilterArgs,
    commands::{jobs::all_queues, queues::unknown, watch::WatchArgs},
    exit::{CliError, Exit},
    output::{self, Column, Format, Output, age},
    parse,
    session::{Jobs, Missing, Session},
};
use clap::Args;
use futures_util::{StreamExt, TryStreamExt};
use queue::{
    Failure, Reason, Status,
    queue_core::Direction,
    view::{JobFilter, Standing},
};
use std::{num::NonZeroUsize, pin::pin};

/// The longest error in a table, in characters.
const ERROR_CHARS_MAX: usize = 60;

#[derive(Debug, Args)]
#[command(after_help = "\
Jobs are listed newest first: a listing of failed, cancelled, failing or processing jobs alone by the time they entered that state, others by the time they \
were enqueued. `queue show` prints headers; no listing searches them.")]
pub(crate) struct ListArgs {
    #[command(flatten)]
    filter: FilterArgs,
    /// Show the oldest first instead of the newest
    #[arg(long)]
    oldest_first: bool,
    /// Of all queues, in place of one; with --id-prefix this finds the queue of an id
    #[arg(long, conflicts_with = "oldest_first")]
    all_queues: bool,
    /// List at most this many
    #[arg(long, value_name = "N", default_value = "50", value_parser = parse::number_from_one)]
    limit: NonZeroUsize,
    #[command(flatten)]
    watch: WatchArgs,
}

pub(crate) async fn run(args: ListArgs, session: &Session) -> Result<Exit, CliError> {
    session
        .with_jobs_or_service(Missing::Refuse, async |jobs| {
            let look = async |out| list(&args, jobs, out).await;
            args.watch.run(session.out, look).await
        })
        .await
}

/// JSON is written page by page; a table needs its widths first, and the limit bounds it.
async fn list(args: &ListArgs, jobs: &Jobs, out: Output) -> Result<(), CliError> {
    let filter = args.filter.of(jobs).await?;
    if args.all_queues {
        return list_all(&filter, args.limit, jobs, out).await;
    }
    let queue = jobs.name().clone();
    let listing = if args.oldest_first {
        filter.listing(queue, Some(Direction::OldestFirst))?
    } else {
        filter.newest_first(queue)?
    };
    let found = jobs.jobs().filter(filter);
    let found = if listing.walk().is_reversed() { found.newest_first() } else { found };
    let mut found = pin!(found.all());
    let mut rows = Vec::new();
    let mut shown = found.by_ref().take(args.limit.get());
    while let Some(status) = shown.try_next().await? {
        match out.format() {
            Format::Json => out.object(&output::job(&status))?,
            Format::Human => rows.push(row(&status)),
        }
    }
    let is_cut = found.next().await.is_some();
    if out.format() == Format::Human {
        if rows.is_empty() {
            unknown::note(jobs).await;
        }
        out.text(output::table(COLUMNS, rows))?;
        if is_cut {
            output::note("there are more jobs: raise --limit");
        }
    }
    Ok(())
}

/// The jobs of all queues, in one answer.
async fn list_all(filter: &JobFilter, limit: NonZeroUsize, jobs: &Jobs, out: Output) -> Result<(), CliError> {
    let queues = all_queues::of(jobs).await?;
    let found = filter.newest_across(&**jobs.storage(), &queues, limit.get()).await?;
    let status = |meta| Status { meta, now: found.now };
    let mut statuses = found.jobs.into_iter().map(status);
    if out.format() == Format::Json {
        statuses.try_for_each(|status| out.object(&output::job(&status)))?;
        return Ok(());
    }
    let rows = statuses.map(|status| all_queues::cells(&status.meta.queue, row(&status)));
    out.text(output::table(all_queues::with_queue(&COLUMNS), rows))?;
    all_queues::note_left_out(found.left_out);
    if found.has_more {
        output::note("there are more jobs: raise --limit, or name one queue");
    }
    Ok(())
}

/// A narrow terminal drops columns whose cells are all alike first, and then cuts errors.
pub(crate) const COLUMNS: [Column; 8] = [
    Column::text("ID"),
    Column::whole("STATE"),
    Column::text("KIND").plain("default"),
    Column::text("TAGS").plain(""),
    Column::whole("PRIORITY").plain("0"),
    Column::whole("ATTEMPTS"),
    Column::whole("AGE"),
    Column::text("LAST ERROR").plain(""),
];

/// A job in the listing.
pub(crate) fn row(status: &Status) -> Vec<String> {
    let meta = &status.meta;
    let standing = Standing::of(meta, status.now);
    let is_expired = meta.reason == Some(Reason::Expired) || status.is_expired();
    let state = if is_expired { format!("{standing} (expired)") } else { standing.to_string() };
    vec![
        meta.id.to_string(),
        state,
        meta.kind.to_string(),
        output::tags(&meta.tags),
        meta.priority.to_string(),
        status.attempts().to_string(),
        age(status.now.since(meta.created_at)),
        meta.last_error.as_ref().map(beginning).unwrap_or_default(),
    ]
}

/// The beginning of an error: a listing has one line for each job, and errors may be long.
fn beginning(error: &Failure) -> String {
    let text = error.to_string();
    match text.char_indices().nth(ERROR_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
