use crate::{
    exit::{CliError, Exit},
    output::{self, Format, age},
    session::{Jobs, Missing, Session},
};
use clap::Args;
use futures_util::{StreamExt, TryStreamExt};
use queue::{Failure, Kind, ListFilter, Reason, State, Status, WorkerId};
use std::{num::NonZeroUsize, pin::pin};

/// The longest error in a table.
const ERROR_CHARS_MAX: usize = 60;

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only jobs in this state; may be repeated [possible: queued, processing, failing, completed, failed, cancelled]
    #[arg(long, value_name = "STATE")]
    state: Vec<State>,
    /// Only jobs of this kind
    #[arg(long)]
    kind: Option<Kind>,
    /// Only jobs that this worker holds
    #[arg(long, value_name = "ID")]
    worker: Option<WorkerId>,
    /// At most this many, oldest first
    #[arg(long, value_name = "N", default_value = "50")]
    limit: NonZeroUsize,
}

pub(crate) async fn run(args: ListArgs, session: &Session) -> Result<Exit, CliError> {
    session.with_jobs(Missing::Refuse, async |jobs| list(args, jobs, session).await).await
}

/// JSON goes out page by page; a table needs its widths first, which the limit bounds.
async fn list(args: ListArgs, jobs: &Jobs, session: &Session) -> Result<Exit, CliError> {
    let filter = ListFilter::Match { states: args.state, worker: args.worker, kind: args.kind };
    let mut found = pin!(jobs.list_all(filter));
    let mut rows = Vec::new();
    let mut shown = found.by_ref().take(args.limit.get());
    while let Some(status) = shown.try_next().await? {
        match session.out.format() {
            Format::Json => session.out.object(&output::job(&status))?,
            Format::Human => rows.push(row(&status)),
        }
    }
    let is_cut = found.next().await.is_some();
    if session.out.format() == Format::Human {
        session.out.line(&output::table(&HEADER, rows))?;
        if is_cut {
            output::note("there are more: raise --limit");
        }
    }
    Ok(Exit::Ok)
}

const HEADER: [&str; 7] = ["ID", "STATE", "KIND", "PRIORITY", "ATTEMPTS", "AGE", "LAST ERROR"];

fn row(status: &Status) -> Vec<String> {
    let meta = &status.meta;
    let state = match meta.reason {
        Some(Reason::Expired) => format!("{} (expired)", meta.state),
        _ if status.is_expired() => format!("{} (expired)", meta.state),
        _ if status.is_scheduled() => format!("{} (later)", meta.state),
        _ => meta.state.to_string(),
    };
    vec![
        meta.id.to_string(),
        state,
        meta.kind.to_string(),
        meta.priority.to_string(),
        status.attempts().to_string(),
        age(status.now.since(meta.created_at)),
        meta.last_error.as_ref().map(first_line).unwrap_or_default(),
    ]
}

/// Errors may be long and have many lines; a listing has one line for each job.
fn first_line(error: &Failure) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(ERROR_CHARS_MAX) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}
