//! The command `queue result`: writes the result of a job to standard output, without waiting for
//! it.

use super::{
    ending::{self, BytesArgs},
    over_service,
};
use crate::{
    exit::{CliError, Exit},
    session::{Jobs, Missing, Session},
};
use clap::Args;
use queue::{JobId, StorageExt, queue_core::Detail};
use std::time::Duration;

#[derive(Debug, Args)]
#[command(
    after_help = "Exits with 4 if the job is not finished, 1 if it failed or was cancelled, 3 if there is none."
)]
pub(crate) struct ResultArgs {
    /// The id of the job
    id: JobId,
    #[command(flatten)]
    bytes: BytesArgs,
}

/// Reads without marking the job as awaited.
pub(crate) async fn run(args: ResultArgs, session: &Session) -> Result<Exit, CliError> {
    let id = &args.id;
    let read = async |jobs: &Jobs| match over_service::service(jobs) {
        None => ending::of_record(jobs.storage().get_one(jobs.name(), id, Detail::Full).await?),
        Some(service) => over_service::outcome(service, jobs, id, None, Duration::ZERO).await,
    };
    let outcome = session.with_jobs_or_service(Missing::Refuse, read).await?;
    ending::report(session, Some(id), &outcome, args.bytes.on_terminal())
}
