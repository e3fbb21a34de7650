//! The command `queue promote`: makes a waiting job due now.

use super::{
    filter_args::ChangedArgs,
    operation::{self, Wanted},
};
use crate::{
    commands::jobs::over_service,
    exit::{CliError, Exit},
    session::{Missing, Session},
};
use clap::Args;
use queue::{JobId, operations::Action};

#[derive(Debug, Args)]
#[command(after_help = "\
A job with a delay, or one that waits after a failed attempt, then runs as soon as a worker has room; its priority stays.
Exits with 1 if the job is not waiting, 3 if there is none.")]
pub(crate) struct PromoteArgs {
    /// The id of the job
    id: Option<JobId>,
    #[command(flatten)]
    filter: ChangedArgs,
}

pub(crate) async fn run(args: PromoteArgs, session: &Session) -> Result<Exit, CliError> {
    args.filter.check_beside(args.id.as_ref(), false)?;
    let Some(id) = &args.id else {
        return operation::carry_out(Wanted::new(Action::Promote, &args.filter, "promoted"), session).await;
    };
    let change = session
        .with_jobs_or_service(Missing::Refuse, async |jobs| match over_service::service(jobs) {
            None => Ok(jobs.promote(id).await?),
            Some(service) => over_service::change(service.promote(jobs.name(), id).await?),
        })
        .await?;
    session.tell_change(
        id,
        change,
        "due",
        || format!("{id} is due now"),
        |state| format!("the job {id:?} is {state}; only a job that waits can be made due"),
    )
}
