//! The command `queue cancel`: takes back one job, or every unfinished job with a tag.

use super::bulk;
use crate::{
    exit::{CliError, Exit},
    session::{Missing, Session},
};
use clap::Args;
use queue::{Change, JobId, OnRunning, State, queue_core::Tag};
use serde_json::json;

#[derive(Debug, Args)]
#[command(after_help = "Exits with 1 if the job runs and --running was not given, or is finished.")]
pub(crate) struct CancelArgs {
    /// The id of the job
    #[arg(required_unless_present = "tag")]
    id: Option<JobId>,
    /// Every job with this tag that is not finished
    #[arg(long, conflicts_with = "id")]
    tag: Option<Tag>,
    /// If it runs, ask its worker to stop it; it may complete all the same
    #[arg(long)]
    running: bool,
}

pub(crate) async fn run(args: CancelArgs, session: &Session) -> Result<Exit, CliError> {
    let running = if args.running { OnRunning::Request } else { OnRunning::Leave };
    match (&args.id, &args.tag) {
        (Some(id), _) => one(id, running, session).await,
        (None, Some(tag)) => tagged(tag, running, session).await,
        (None, None) => Err(CliError::invalid("name a job, or a tag")),
    }
}

async fn tagged(tag: &Tag, running: OnRunning, session: &Session) -> Result<Exit, CliError> {
    let cancelled = session.with_jobs(Missing::Refuse, async |jobs| {
        let meant = jobs.jobs().tag(tag.as_str()).queued().failing().processing();
        Ok(meant.cancel_all_with(running).await?)
    });
    bulk::tell("cancelled", "cancelled", cancelled.await?, session)
}

async fn one(id: &JobId, running: OnRunning, session: &Session) -> Result<Exit, CliError> {
    let answer =
        session.with_jobs(Missing::Refuse, async |jobs| Ok(jobs.cancel_with(id, running).await?)).await?;
    let (exit, word, advice) = match answer {
        Change::Done => (Exit::Ok, "cancelled", ""),
        Change::Requested => (Exit::Ok, "requested", "; its worker is told with the next heartbeat"),
        Change::NotAllowed(State::Processing) => {
            (Exit::Negative, "processing", "; to stop it all the same, use --running")
        }
        Change::NotAllowed(state) => (Exit::Negative, state.as_str(), "; nothing is left to cancel"),
        Change::Missing => return Err(session.no_such_job(id)),
        other => return Err(CliError::unforeseen(other)),
    };
    session.out.answer(|| format!("{word} {id}{advice}"), || json!({"id": id.as_str(), "answer": word}))?;
    Ok(exit)
}
