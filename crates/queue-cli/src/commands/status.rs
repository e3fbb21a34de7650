//! The command `queue status`: the state of one job, without its payload and result.

use crate::{
    exit::{CliError, Exit},
    output,
    session::{Missing, Session},
};
use clap::Args;
use queue::JobId;

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// The id of the job
    id: JobId,
}

pub(crate) async fn run(args: StatusArgs, session: &Session) -> Result<Exit, CliError> {
    let found = session.with_jobs(Missing::Refuse, async |jobs| Ok(jobs.status(&args.id).await?)).await?;
    let status = found.ok_or_else(|| session.no_such_job(&args.id))?;
    session.out.answer(|| output::pairs(output::details(&status)), || output::job(&status))?;
    Ok(Exit::Ok)
}
