//! The command `queue cancel`: cancels one job, or those that a filter selects.

use super::{
    bulk::on_processing,
    filter_args::ChangedArgs,
    operation::{self, Wanted},
};
use crate::{
    commands::jobs::over_service,
    exit::{CliError, Exit},
    session::{Jobs, Missing, Session},
};
use clap::Args;
use queue::{Change, JobId, OnProcessing, State, operations::Action, view::Standing};
use serde_json::json;

#[derive(Debug, Args)]
#[command(after_help = "\
With a filter in place of an id every due or failing job that matches is cancelled, with --processing those that run too;
scheduled ones only with `--state scheduled`. It is an operation, as with `queue bulk cancel`.
Exits with 1 if the job runs and --processing was not given, or is finished.")]
pub(crate) struct CancelArgs {
    /// The id of the job
    id: Option<JobId>,
    /// If the job runs, ask its worker to stop it; it may still complete
    #[arg(long)]
    processing: bool,
    #[command(flatten)]
    filter: ChangedArgs,
}

pub(crate) async fn run(args: CancelArgs, session: &Session) -> Result<Exit, CliError> {
    let processing = on_processing(args.processing);
    args.filter.check_beside(args.id.as_ref(), false)?;
    match &args.id {
        Some(id) => one(id, processing, session).await,
        None => many(&args.filter, processing, session).await,
    }
}

async fn many(filter: &ChangedArgs, processing: OnProcessing, session: &Session) -> Result<Exit, CliError> {
    let standings: &[Standing] = match processing {
        OnProcessing::Leave => &[Standing::Due, Standing::Failing],
        OnProcessing::Request => &[Standing::Due, Standing::Failing, Standing::Processing],
    };
    let wanted = Wanted::new(Action::Cancel { processing }, filter, "cancelled");
    operation::carry_out(Wanted { standings, ..wanted }, session).await
}

async fn one(id: &JobId, processing: OnProcessing, session: &Session) -> Result<Exit, CliError> {
    let cancel = async |jobs: &Jobs| match over_service::service(jobs) {
        None => Ok(jobs.cancel_with(id, processing).await?),
        Some(service) => over_service::change(service.cancel(jobs.name(), id, processing).await?),
    };
    let answer = session.with_jobs_or_service(Missing::Refuse, cancel).await?;
    let (exit, word, advice) = match answer {
        Change::Done => (Exit::Ok, "cancelled", ""),
        Change::Requested => (Exit::Ok, "requested", "; its worker is told with the next heartbeat"),
        Change::NotAllowed(State::Processing) => {
            (Exit::Negative, "processing", "; to stop it all the same, use --processing")
        }
        Change::NotAllowed(state) => (Exit::Negative, state.as_str(), "; nothing is left to cancel"),
        Change::Missing => return Err(session.no_such_job(id)),
        other => return Err(CliError::unforeseen(other)),
    };
    session.out.answer(|| format!("{word} {id}{advice}"), || json!({"id": id.as_str(), "answer": word}))?;
    Ok(exit)
}
