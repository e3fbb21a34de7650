//! `queue enqueue`: one job, or one for each line.

mod batches;
mod ids;
mod lines;
mod one;
mod options;
mod progress;

use crate::{
    exit::{CliError, Exit},
    parse,
    session::{Jobs, Missing, Session},
};
use clap::Args;
use ids::{IdRule, LineIds};
use options::EnqueueJobArgs;
use queue::{IdSource, JobId, TimeOrderedIds};
use std::{ffi::OsString, path::PathBuf, time::Duration};

#[derive(Debug, Args)]
#[command(after_help = "\
An id that is present is not enqueued again: that is no error, and the answer says so.
With --lines, the end of each line (LF or CR LF) is cut off and empty lines are skipped. Lines are stored as they come,
many at a time; each such batch is stored whole or not at all, and what was stored before an error stays.
The same input again stores nothing twice: unless --ids says otherwise, the id of a line is its number and a digest of the
file's path, the kind, the line and all lines before it. So a line that stands twice is two jobs, lines that are appended are
stored alone, and an interrupted run is repeated safely. What counts as present ends with --ttl. --ids fresh turns it off.")]
pub(crate) struct EnqueueArgs {
    /// The payload, taken as it is; `-` reads it from standard input
    #[arg(required_unless_present = "lines")]
    payload: Option<OsString>,
    /// One job for each line of this file; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["payload", "id", "wait"])]
    lines: Option<PathBuf>,
    /// The id, which is also the key against duplicates: 1 to 255 bytes without control characters
    #[arg(long, conflicts_with = "ids")]
    id: Option<JobId>,
    /// Where ids come from when none is given [default: fresh, or line with --lines]
    #[arg(long, value_name = "RULE", value_enum)]
    ids: Option<IdRule>,
    #[command(flatten)]
    job: EnqueueJobArgs,
    /// Wait for the result and write it to standard output, as `queue wait` does
    #[arg(long)]
    wait: bool,
    /// With --wait: how long at most
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse::duration, allow_hyphen_values = true)]
    timeout: Duration,
}

/// Everything that can be checked without the store is checked before it is opened.
pub(crate) async fn run(args: EnqueueArgs, session: &Session) -> Result<Exit, CliError> {
    let options = args.job.options()?;
    if let Some(path) = &args.lines {
        let input = lines::open(path)?;
        let ids = LineIds::new(args.ids.unwrap_or(IdRule::Line), input.source(), args.job.job.kind());
        let job = lines::LineJob { ids, options, args: args.job.job };
        let run = async |jobs: &Jobs| lines::run(input, job, jobs, session).await;
        return session.with_jobs(Missing::Create, run).await;
    }
    let payload = args.job.job.payload(one::bytes(args.payload.unwrap_or_default())?);
    let id = match (args.id, args.ids.unwrap_or(IdRule::Fresh)) {
        (Some(id), _) => id.into(),
        // Made here, so that the answer can name it whatever happens.
        (None, IdRule::Fresh) => TimeOrderedIds::default().next_id().into(),
        (None, rule) => rule.id(&payload.bytes)?,
    };
    let request = one::Request { id, payload, options, wait: args.wait.then_some(args.timeout) };
    let run = async |jobs: &Jobs| one::run(request, &args.job.job.of_kind(jobs), session).await;
    session.with_jobs(Missing::Create, run).await
}
