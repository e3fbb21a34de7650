//! The command `queue wait`: waits until a job is finished, and writes its result to standard
//! output.

use super::{
    ending::{self, BytesArgs},
    over_service,
};
use crate::{
    exit::{CliError, Exit},
    parse,
    session::{Jobs, Missing, Session},
};
use clap::Args;
use queue::JobId;
use std::time::Duration;

#[derive(Debug, Args)]
#[command(
    after_help = "Exits with 4 if the job is not finished in time, 1 if it failed or was cancelled, 3 if there is none."
)]
pub(crate) struct WaitArgs {
    /// The id of the job
    id: JobId,
    #[command(flatten)]
    bytes: BytesArgs,
    /// The longest time to wait
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse::duration, allow_hyphen_values = true)]
    timeout: Duration,
}

pub(crate) async fn run(args: WaitArgs, session: &Session) -> Result<Exit, CliError> {
    let (id, timeout) = (&args.id, args.timeout);
    let wait = async |jobs: &Jobs| match over_service::service(jobs) {
        None => Ok(jobs.wait(id, timeout).await?),
        Some(service) => over_service::outcome(service, jobs, id, None, timeout).await,
    };
    let waited = session.with_jobs_or_service(Missing::Refuse, wait).await?;
    ending::report(session, Some(&args.id), &waited, args.bytes.on_terminal())
}
