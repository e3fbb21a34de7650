use crate::{
    exit::{CliError, Exit},
    session::{Missing, Session},
};
use clap::Args;
use queue::{Change, JobId};
use serde_json::json;

#[derive(Debug, Args)]
#[command(after_help = "Exits with 1 if the job runs, 3 if there is none.")]
pub(crate) struct DeleteArgs {
    /// The id of the job
    id: JobId,
}

pub(crate) async fn run(args: DeleteArgs, session: &Session) -> Result<Exit, CliError> {
    let id = &args.id;
    match session.with_jobs(Missing::Refuse, async |jobs| Ok(jobs.delete(id).await?)).await? {
        Change::Done => {
            session
                .out
                .answer(|| format!("deleted {id}"), || json!({"id": id.as_str(), "answer": "deleted"}))?;
            Ok(Exit::Ok)
        }
        Change::NotAllowed(state) => {
            let message =
                format!("the job {id:?} is {state}; stop it first with `queue cancel --running {id:?}`");
            Err(CliError::new(Exit::Negative, message))
        }
        Change::Missing => Err(session.no_such_job(id)),
    }
}
