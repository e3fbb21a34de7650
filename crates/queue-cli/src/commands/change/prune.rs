//! The command `queue prune`: removes finished jobs, or every job of the queue once that is
//! confirmed.

use super::{bulk_report, confirm::confirm};
use crate::{
    exit::{CliError, Exit},
    output::plural,
    parse,
    session::{Missing, Session},
};
use clap::Args;
use queue::Prune;
use queue::queue_core::{Span, Tag};
use serde_json::json;
use std::time::Duration;

#[derive(Debug, Args)]
#[command(after_help = "\
Without an option, removes finished jobs that have been kept long enough, as workers do by themselves. --everything asks
first on a terminal, and elsewhere needs --yes; exits with 1 if the answer is no.")]
pub(crate) struct PruneArgs {
    /// Jobs that finished at least this long ago, even if they were to be kept longer
    #[arg(long, value_name = "DURATION", value_parser = parse::duration)]
    finished_before: Option<Duration>,
    /// Every job of the queue, including waiting and running ones
    #[arg(long, conflicts_with = "finished_before")]
    everything: bool,
    /// Finished jobs with this tag, even if they were to be kept longer
    #[arg(long, conflicts_with_all = ["finished_before", "everything"])]
    tag: Option<Tag>,
    /// With --everything: do not ask
    #[arg(long, requires = "everything")]
    yes: bool,
}

pub(crate) async fn run(args: PruneArgs, session: &Session) -> Result<Exit, CliError> {
    if let Some(tag) = &args.tag {
        return tagged(tag, session).await;
    }
    let what = args.what()?;
    if what == Prune::Everything && !args.yes {
        let name = &session.name;
        confirm(&format!(
            "this removes every job of the queue {name:?}, including waiting and running ones"
        ))?;
    }
    let removed = session.with_jobs(Missing::Refuse, async |jobs| Ok(jobs.prune_all(what).await?)).await?;
    session
        .out
        .answer(|| format!("removed {}", plural(removed, "job", "jobs")), || json!({"removed": removed}))?;
    Ok(Exit::Ok)
}

async fn tagged(tag: &Tag, session: &Session) -> Result<Exit, CliError> {
    let removed = session.with_jobs(Missing::Refuse, async |jobs| {
        let meant = jobs.jobs().tag(tag.as_str()).completed().failed().cancelled();
        Ok(meant.delete_all().await?)
    });
    bulk_report::tell("removed", removed.await?, session)
}

impl PruneArgs {
    fn what(&self) -> Result<Prune, CliError> {
        Ok(match self.finished_before {
            Some(age) => Prune::FinishedBefore(Span::new("--finished-before", age)?),
            None if self.everything => Prune::Everything,
            None => Prune::Expired,
        })
    }
}
