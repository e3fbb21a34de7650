//! `queue enqueue`: stores one job, or one for each line of a file.

mod batches;
mod ids;
mod lines;
pub(in crate::commands) mod one;
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
An id that is taken is not enqueued again: that is no error, and the answer says so.
With --lines, the end of each line (LF or CR LF) is cut off and empty lines are skipped. Lines are stored as they come,
many at a time; each such batch is stored whole or not at all, and what was stored before an error stays.
The same input again stores nothing twice: unless --ids says otherwise, the id of a line is its number and a digest of
the file's path, the kind, the line and all lines before it. So a line that occurs twice makes two jobs, appended lines
are stored alone, and an interrupted run can be repeated. An id is free again when --ttl ends. --ids fresh turns this
off.")]
pub(crate) struct EnqueueArgs {
    /// The payload, used unchanged; `-` reads it from standard input
    #[arg(required_unless_present = "lines")]
    payload: Option<OsString>,
    /// One job for each line of this file; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["payload", "id", "wait"])]
    lines: Option<PathBuf>,
    /// The id, which is also the key against duplicates: 1 to 255 bytes without control characters
    #[arg(long, conflicts_with = "ids")]
    id: Option<JobId>,
    /// How to make an id when none is given [default: fresh, or line with --lines]
    #[arg(long, value_name = "RULE", value_enum)]
    ids: Option<IdRule>,
    #[command(flatten)]
    job: EnqueueJobArgs,
    /// Wait for the result and write it to standard output, as `queue wait` does
    #[arg(long)]
    wait: bool,
    /// With --wait: the longest time to wait
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse::duration, allow_hyphen_values = true)]
    timeout: Duration,
}

/// Checks everything that needs no store before it opens one.
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
        // The id is made here, so that the answer can name it even if the call fails.
        (None, IdRule::Fresh) => TimeOrderedIds::default().next_id().into(),
        (None, rule) => rule.id(&payload.bytes)?,
    };
    let request = one::Request { id, payload, options, wait: args.wait.then_some(args.timeout) };
    let run = async |jobs: &Jobs| one::run(request, &args.job.job.of_kind(jobs), session).await;
    session.with_jobs(Missing::Create, run).await
}
