use crate::{
    exit::{CliError, Exit},
    output::plural,
    session::{Missing, Session},
};
use clap::Args;
use queue::{ContentType, JobId, ListFilter, State};
use serde_json::json;

#[derive(Debug, Args)]
#[command(after_help = "Exits with 1 if the job is neither failed nor cancelled, 3 if there is none.")]
pub(crate) struct RedriveArgs {
    /// The id of a failed or cancelled job
    #[arg(required_unless_present = "all_failed")]
    id: Option<JobId>,
    /// Every failed job of the queue
    #[arg(long, conflicts_with = "id")]
    all_failed: bool,
    /// What the payload is encoded as, if it was enqueued as something else; its bytes stay as they are
    #[arg(long, value_name = "TYPE")]
    content_type: Option<ContentType>,
}

pub(crate) async fn run(args: RedriveArgs, session: &Session) -> Result<Exit, CliError> {
    match args.id {
        Some(id) => one(&id, args.content_type, session).await,
        None => all_failed(args.content_type, session).await,
    }
}

async fn one(id: &JobId, content_type: Option<ContentType>, session: &Session) -> Result<Exit, CliError> {
    let redriven = session.with_jobs(Missing::Refuse, async |jobs| {
        Ok(match content_type {
            Some(content_type) => jobs.redrive_as(id, content_type).await?,
            None => jobs.redrive(id).await?,
        })
    });
    session.tell_change(
        id,
        redriven.await?,
        "queued",
        || format!("queued {id}"),
        |state| format!("the job {id:?} is {state}; only failed and cancelled jobs run again"),
    )
}

async fn all_failed(content_type: Option<ContentType>, session: &Session) -> Result<Exit, CliError> {
    let filter = ListFilter::in_states([State::Failed]);
    let redriven = session.with_jobs(Missing::Refuse, async |jobs| {
        Ok(match content_type {
            Some(content_type) => jobs.redrive_all_as(filter, content_type).await?,
            None => jobs.redrive_all(filter).await?,
        })
    });
    let redriven = redriven.await?;
    session.out.answer(|| format!("queued {}", plural(redriven, "job")), || json!({"redriven": redriven}))?;
    Ok(Exit::Ok)
}
