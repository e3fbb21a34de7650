use crate::{
    exit::{CliError, Exit},
    session::{Missing, Session},
};
use clap::Args;
use queue::{Change, JobId, OnRunning, State};
use serde_json::json;

#[derive(Debug, Args)]
#[command(after_help = "Exits with 1 if the job runs and --running was not given, or is finished.")]
pub(crate) struct CancelArgs {
    /// The id of the job
    id: JobId,
    /// If it runs, ask its worker to stop it; it may complete all the same
    #[arg(long)]
    running: bool,
}

pub(crate) async fn run(args: CancelArgs, session: &Session) -> Result<Exit, CliError> {
    let running = if args.running { OnRunning::Request } else { OnRunning::Leave };
    let answer = session
        .with_jobs(Missing::Refuse, async |jobs| Ok(jobs.cancel_with(&args.id, running).await?))
        .await?;
    let (exit, word, advice) = match answer {
        Change::Done => (Exit::Ok, "cancelled", ""),
        Change::Requested => (Exit::Ok, "requested", "; its worker is told with the next heartbeat"),
        Change::NotAllowed(State::Processing) => {
            (Exit::Negative, "processing", "; to stop it all the same, use --running")
        }
        Change::NotAllowed(state) => (Exit::Negative, state.as_str(), "; nothing is left to cancel"),
        Change::Missing => return Err(session.no_such_job(&args.id)),
        other => return Err(CliError::unforeseen(other)),
    };
    session.out.answer(
        || format!("{word} {}{advice}", args.id),
        || json!({"id": args.id.as_str(), "answer": word}),
    )?;
    Ok(exit)
}
