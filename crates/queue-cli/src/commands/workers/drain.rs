//! The command `queue drain`: asks a worker to finish what it runs and to end.

use crate::{
    exit::{CliError, Exit},
    session::{Missing, Session},
};
use clap::Args;
use queue::{WorkerId, queue_core::Duty};
use serde_json::json;

#[derive(Debug, Args)]
#[command(after_help = "\
The worker learns of it within ten seconds: it claims nothing more, finishes what it runs within its deadline, and ends. \
Exits with 3 if there is no such worker.")]
pub(crate) struct DrainArgs {
    /// The worker, as `queue workers` names it
    #[arg(value_name = "WORKER")]
    worker: WorkerId,
}

pub(crate) async fn run(args: DrainArgs, session: &Session) -> Result<Exit, CliError> {
    let id = &args.worker;
    let then = session
        .with_jobs(Missing::Refuse, async |jobs| Ok(jobs.storage().set_duty(id, Duty::Drain).await?))
        .await?;
    if then.is_none() {
        return Err(CliError::new(Exit::NotFound, format!("there is no worker {id:?} in this store")));
    }
    let words = || format!("asked {id} to drain");
    session.out.answer(words, || json!({"worker": id.as_str(), "answer": "asked"}))?;
    Ok(Exit::Ok)
}
