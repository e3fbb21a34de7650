//! The command `queue redrive`: runs failed or cancelled jobs again, one or many.

use super::{
    filter_args::ChangedArgs,
    operation::{self, Wanted},
};
use crate::{
    commands::jobs::over_service,
    exit::{CliError, Exit},
    session::{Jobs, Missing, Session},
};
use clap::Args;
use queue::{ContentType, JobId, operations::Action, view::Standing};

#[derive(Debug, Args)]
#[command(after_help = "Exits with 1 if the job is neither failed nor cancelled, 3 if there is none.")]
pub(crate) struct RedriveArgs {
    /// The id of a failed or cancelled job
    id: Option<JobId>,
    /// Every failed job of the queue
    #[arg(long, conflicts_with_all = ["id", "state"])]
    all_failed: bool,
    /// The true content type of the payload, if it was enqueued with a wrong one; its bytes stay
    /// the same
    #[arg(long, value_name = "TYPE")]
    content_type: Option<ContentType>,
    #[command(flatten)]
    filter: ChangedArgs,
}

pub(crate) async fn run(args: RedriveArgs, session: &Session) -> Result<Exit, CliError> {
    let RedriveArgs { id, all_failed, content_type, filter } = args;
    filter.check_beside(id.as_ref(), all_failed)?;
    match id {
        Some(id) => one(&id, content_type, session).await,
        None => many(&filter, all_failed, content_type, session).await,
    }
}

async fn one(id: &JobId, content_type: Option<ContentType>, session: &Session) -> Result<Exit, CliError> {
    let redriven = if let Some(content_type) = content_type {
        let redrive = async |jobs: &Jobs| Ok(jobs.redrive_as(id, content_type).await?);
        session.with_jobs(Missing::Refuse, redrive).await?
    } else {
        let redrive = async |jobs: &Jobs| match over_service::service(jobs) {
            None => Ok(jobs.redrive(id).await?),
            Some(service) => over_service::change(service.redrive(jobs.name(), id).await?),
        };
        session.with_jobs_or_service(Missing::Refuse, redrive).await?
    };
    session.tell_change(
        id,
        redriven,
        "queued",
        || format!("queued {id}"),
        |state| format!("the job {id:?} is {state}; only failed and cancelled jobs run again"),
    )
}

async fn many(
    filter: &ChangedArgs,
    failed_alone: bool,
    content_type: Option<ContentType>,
    session: &Session,
) -> Result<Exit, CliError> {
    let standings: &[Standing] =
        if failed_alone { &[Standing::Failed] } else { &[Standing::Failed, Standing::Cancelled] };
    let wanted = Wanted::new(Action::Redrive { content_type }, filter, "queued");
    operation::carry_out(Wanted { standings, ..wanted }, session).await
}
