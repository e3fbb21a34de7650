//! `queue batch add`: members, by the arguments of `queue enqueue`.

use super::find;
use crate::{
    commands::jobs::enqueue::{NewJobs, Target},
    exit::{CliError, Exit},
    session::{Jobs, Missing, Session},
};
use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "\
The id of a member is the name and the number of the batch and then --id, such as import-7@12/row-1. The --keep of the batch decides \
how long it is kept. Adding a member that is there changes nothing, so an interrupted import is run again from the top: the id of a line \
is made as by `queue enqueue --lines`.")]
// What a member does not have is refused with the reason, and not offered.
#[command(
    mut_arg("ttl", |arg| arg.hide(true)),
    mut_arg("debounce", |arg| arg.hide(true)),
    mut_arg("max_wait", |arg| arg.hide(true)),
    mut_arg("on_failed", |arg| arg.help("What to do if a failed member has the id [default: block]")),
)]
pub(super) struct AddArgs {
    /// The name of the batch
    name: String,
    #[command(flatten)]
    jobs: NewJobs,
}

pub(super) async fn run(args: AddArgs, session: &Session) -> Result<Exit, CliError> {
    let AddArgs { name, jobs: new } = args;
    if new.has_ttl() {
        let message = "a member has no --ttl: `queue batch open --keep` says how long the members are kept";
        return Err(CliError::invalid(message));
    }
    let new = new.check()?;
    let add = async |jobs: &Jobs| {
        let jobs = new.of_kind(jobs);
        let batch = Some(find(&name, &jobs, session).await?);
        new.store(&Target { jobs, batch }, session).await
    };
    session.with_jobs(Missing::Refuse, add).await
}
