use crate::{
    exit::{CliError, Exit},
    output::plural,
    session::{Jobs, Missing, Session},
};
use clap::Args;
use futures_util::{StreamExt, TryStreamExt, stream};
use queue::{Change, JobId, ListFilter, State};
use serde_json::json;

/// Most jobs read in one call.
const PAGE_MAX: usize = 500;
/// Redrives in flight at once, so that the store can write them together.
const IN_FLIGHT_MAX: usize = 64;

#[derive(Debug, Args)]
#[command(after_help = "Exits with 1 if the job is neither failed nor cancelled, 3 if there is none.")]
pub(crate) struct RedriveArgs {
    /// The id of a failed or cancelled job
    #[arg(required_unless_present = "all_failed")]
    id: Option<JobId>,
    /// Every failed job of the queue
    #[arg(long, conflicts_with = "id")]
    all_failed: bool,
}

pub(crate) async fn run(args: RedriveArgs, session: &Session) -> Result<Exit, CliError> {
    match args.id {
        Some(id) => one(&id, session).await,
        None => all_failed(session).await,
    }
}

async fn one(id: &JobId, session: &Session) -> Result<Exit, CliError> {
    match session.with_jobs(Missing::Refuse, async |jobs| Ok(jobs.redrive(id).await?)).await? {
        Change::Done => {
            session
                .out
                .answer(|| format!("queued {id}"), || json!({"id": id.as_str(), "answer": "queued"}))?;
            Ok(Exit::Ok)
        }
        Change::NotAllowed(state) => {
            let message = format!("the job {id:?} is {state}; only failed and cancelled jobs run again");
            Err(CliError::new(Exit::Negative, message))
        }
        Change::Missing => Err(session.no_such_job(id)),
    }
}

async fn all_failed(session: &Session) -> Result<Exit, CliError> {
    let redriven = session.with_jobs(Missing::Refuse, redrive_pages).await?;
    session.out.answer(|| format!("queued {}", plural(redriven, "job")), || json!({"redriven": redriven}))?;
    Ok(Exit::Ok)
}

/// Pages go by the age of the jobs, so a job that fails again meanwhile is not met twice.
async fn redrive_pages(jobs: &Jobs) -> Result<u64, CliError> {
    let filter = ListFilter::Match { states: vec![State::Failed], worker: None, kind: None };
    let (mut redriven, mut after) = (0, None);
    loop {
        let page = jobs.list(filter.clone(), after, PAGE_MAX).await?;
        let calls = page.jobs.iter().map(|job| jobs.redrive(&job.id));
        let answers: Vec<Change> = stream::iter(calls).buffer_unordered(IN_FLIGHT_MAX).try_collect().await?;
        redriven += answers.iter().filter(|answer| **answer == Change::Done).count() as u64;
        after = page.next;
        if after.is_none() {
            return Ok(redriven);
        }
    }
}
