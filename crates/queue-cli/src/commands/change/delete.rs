//! The command `queue delete`: removes a job that does not run, and its result.

use super::{
    confirm::ConfirmArgs,
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
With a filter in place of an id every job that matches and does not run is removed. It is an operation, as with `queue bulk
delete`. That asks first on a terminal, and elsewhere needs --yes.
Exits with 1 if the job runs or the answer is no, 3 if there is none.")]
pub(crate) struct DeleteArgs {
    /// The id of the job
    id: Option<JobId>,
    #[command(flatten)]
    filter: ChangedArgs,
    #[command(flatten)]
    confirm: ConfirmArgs,
}

pub(crate) async fn run(args: DeleteArgs, session: &Session) -> Result<Exit, CliError> {
    args.filter.check_beside(args.id.as_ref(), false)?;
    let Some(id) = &args.id else {
        let wanted = Wanted::new(Action::Delete, &args.filter, "deleted");
        return operation::carry_out(Wanted { yes: args.confirm.yes, ..wanted }, session).await;
    };
    let change = session
        .with_jobs_or_service(Missing::Refuse, async |jobs| match over_service::service(jobs) {
            None => Ok(jobs.delete(id).await?),
            Some(service) => over_service::change(service.delete(jobs.name(), id).await?),
        })
        .await?;
    session.tell_change(
        id,
        change,
        "deleted",
        || format!("deleted {id}"),
        |state| format!("the job {id:?} is {state}; stop it first with `queue cancel --processing {id:?}`"),
    )
}
