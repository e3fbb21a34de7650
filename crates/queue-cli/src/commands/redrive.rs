//! The command `queue redrive`: runs failed or cancelled jobs again, one or many.

use super::bulk;
use crate::{
    exit::{CliError, Exit},
    session::{Missing, Session},
};
use clap::Args;
use queue::{ContentType, JobId, queue_core::Tag};

#[derive(Debug, Args)]
#[command(after_help = "Exits with 1 if the job is neither failed nor cancelled, 3 if there is none.")]
pub(crate) struct RedriveArgs {
    /// The id of a failed or cancelled job
    #[arg(required_unless_present_any = ["all_failed", "tag"])]
    id: Option<JobId>,
    /// Every failed job of the queue
    #[arg(long, conflicts_with = "id")]
    all_failed: bool,
    /// Every failed or cancelled job with this tag; with --all-failed only the failed ones
    #[arg(long, conflicts_with = "id")]
    tag: Option<Tag>,
    /// What the payload is encoded as, if it was enqueued as something else; its bytes stay as they
    /// are
    #[arg(long, value_name = "TYPE")]
    content_type: Option<ContentType>,
}

pub(crate) async fn run(args: RedriveArgs, session: &Session) -> Result<Exit, CliError> {
    match args.id {
        Some(id) => one(&id, args.content_type, session).await,
        None => many(args.all_failed, args.tag, args.content_type, session).await,
    }
}

async fn one(id: &JobId, content_type: Option<ContentType>, session: &Session) -> Result<Exit, CliError> {
    let redriven = session.with_jobs(Missing::Refuse, async |jobs| {
        Ok(match content_type {
            Some(content_type) => jobs.redrive_as(id, content_type).await?,
            None => jobs.redrive(id).await?,
        })
    });
    session.tell_change(
        id,
        redriven.await?,
        "queued",
        || format!("queued {id}"),
        |state| format!("the job {id:?} is {state}; only failed and cancelled jobs run again"),
    )
}

async fn many(
    failed_alone: bool,
    tag: Option<Tag>,
    content_type: Option<ContentType>,
    session: &Session,
) -> Result<Exit, CliError> {
    let redriven = session.with_jobs(Missing::Refuse, async |jobs| {
        let mut meant = jobs.jobs().failed();
        if !failed_alone {
            meant = meant.cancelled();
        }
        if let Some(tag) = tag {
            meant = meant.tag(tag.as_str());
        }
        Ok(match content_type {
            Some(content_type) => meant.redrive_all_as(content_type).await?,
            None => meant.redrive_all().await?,
        })
    });
    bulk::tell("queued", "redriven", redriven.await?, session)
}
