//! The command `queue status`: the state of one job and the pauses for which it waits, without its
//! payload and result.

use crate::{
    exit::{CliError, Exit},
    output,
    session::{Jobs, Missing, Session},
};
use clap::Args;
use queue::{
    JobId,
    view::{JobDetails, JobReading},
};
use serde_json::json;

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// The id of the job
    id: JobId,
}

pub(crate) async fn run(args: StatusArgs, session: &Session) -> Result<Exit, CliError> {
    let read = async |jobs: &Jobs| Ok(JobReading::read(&**jobs.storage(), jobs.name(), &args.id).await?);
    let found = session.with_jobs_or_service(Missing::Refuse, read).await?;
    let reading = found.ok_or_else(|| session.no_such_job(&args.id))?;
    let object = || {
        let mut object = json!(JobDetails::of(&reading));
        output::put_progress(&mut object, reading.meta.progress());
        object
    };
    session.out.answer(|| output::pairs(output::details(&reading)), object)?;
    Ok(Exit::Ok)
}
