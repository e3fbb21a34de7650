//! The command `queue result`: writes the result of a job to standard output, without waiting for
//! it.

use super::ending::{self, BytesArgs};
use crate::{
    exit::{CliError, Exit},
    session::{Jobs, Missing, Session},
};
use clap::Args;
use queue::{JobId, StorageExt, queue_core::Detail};

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
    let read = async |jobs: &Jobs| Ok(jobs.storage().get_one(jobs.name(), &args.id, Detail::Full).await?);
    let found = session.with_jobs(Missing::Refuse, read).await?;
    ending::report(session, Some(&args.id), &ending::of_record(found)?, args.bytes.on_terminal())
}
