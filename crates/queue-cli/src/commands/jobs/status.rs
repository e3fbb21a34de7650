//! The command `queue status`: the state of one job and the pauses for which it waits, without its
//! payload and result.

use super::job_pauses::JobPauses;
use crate::{
    exit::{CliError, Exit},
    output,
    session::{Jobs, Missing, Session},
};
use clap::Args;
use queue::JobId;

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// The id of the job
    id: JobId,
}

pub(crate) async fn run(args: StatusArgs, session: &Session) -> Result<Exit, CliError> {
    let read = async |jobs: &Jobs| {
        let Some(status) = jobs.status(&args.id).await? else { return Ok(None) };
        let pauses = JobPauses::read(jobs, &status.meta).await?;
        Ok(Some((status, pauses)))
    };
    let found = session.with_jobs(Missing::Refuse, read).await?;
    let (status, pauses) = found.ok_or_else(|| session.no_such_job(&args.id))?;
    let words = || output::pairs(output::details(&status).into_iter().chain(pauses.pairs()));
    let object = || {
        let mut object = output::job(&status);
        pauses.put(&mut object);
        object
    };
    session.out.answer(words, object)?;
    Ok(Exit::Ok)
}
