use crate::{
    exit::{CliError, Exit},
    session::{Missing, Session},
};
use clap::Args;
use queue::{Change, JobId};
use serde_json::json;

#[derive(Debug, Args)]
#[command(after_help = "\
A job with a delay, or one that waits after a failed attempt, then runs as soon as a worker has room; its priority stays.
Exits with 1 if the job does not wait, 3 if there is none.")]
pub(crate) struct PromoteArgs {
    /// The id of the job
    id: JobId,
}

pub(crate) async fn run(args: PromoteArgs, session: &Session) -> Result<Exit, CliError> {
    let id = &args.id;
    match session.with_jobs(Missing::Refuse, async |jobs| Ok(jobs.promote(id).await?)).await? {
        Change::Done => {
            session
                .out
                .answer(|| format!("{id} is due now"), || json!({"id": id.as_str(), "answer": "due"}))?;
            Ok(Exit::Ok)
        }
        Change::NotAllowed(state) => {
            let message = format!("the job {id:?} is {state}; only a job that waits can be made due");
            Err(CliError::new(Exit::Negative, message))
        }
        Change::Missing => Err(session.no_such_job(id)),
    }
}
