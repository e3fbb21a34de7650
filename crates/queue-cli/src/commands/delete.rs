//! The command `queue delete`: removes a job that does not run, and its result.

use crate::{
    exit::{CliError, Exit},
    session::{Missing, Session},
};
use clap::Args;
use queue::JobId;

#[derive(Debug, Args)]
#[command(after_help = "Exits with 1 if the job runs, 3 if there is none.")]
pub(crate) struct DeleteArgs {
    /// The id of the job
    id: JobId,
}

pub(crate) async fn run(args: DeleteArgs, session: &Session) -> Result<Exit, CliError> {
    let id = &args.id;
    let change = session.with_jobs(Missing::Refuse, async |jobs| Ok(jobs.delete(id).await?)).await?;
    session.tell_change(
        id,
        change,
        "deleted",
        || format!("deleted {id}"),
        |state| format!("the job {id:?} is {state}; stop it first with `queue cancel --running {id:?}`"),
    )
}
