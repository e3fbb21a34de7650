//! The command `queue bulk`: one change to all jobs that a filter selects, as an operation.

use super::{
    confirm::ConfirmArgs,
    filter_args::ChangedArgs,
    operation::{self, Wanted},
};
use crate::{
    exit::{CliError, Exit},
    parse,
    session::{Missing, Session},
    signals::StopSignals,
};
use clap::{Args, Subcommand};
use queue::{
    Change, ContentType, Keep, OnProcessing,
    operations::{Action, OperationId, Operations},
};
use serde_json::json;
use std::time::Duration;

#[derive(Debug, Args)]
#[command(after_help = "\
The change is stored as an operation in the queue `queue.operations`, and this command runs it. If the command is
interrupted, or killed, the operation goes on with `queue bulk run`, or with any worker on that queue: no job is changed
twice. Only jobs are changed that were there when it began and have not moved since; --state says how they stand.
`queue bulk delete`, and `retain none`, remove records: they ask first on a terminal, and elsewhere need --yes.
Exits with 1 if jobs could not be changed or the operation was cancelled, 130 if it was interrupted.")]
pub(crate) struct BulkArgs {
    #[command(subcommand)]
    command: BulkCommand,
}

#[derive(Debug, Subcommand)]
enum BulkCommand {
    /// Cancel jobs
    Cancel {
        /// Ask the workers of running jobs to stop them
        #[arg(long)]
        processing: bool,
        #[command(flatten)]
        how: HowArgs,
    },
    /// Run failed or cancelled jobs again
    Redrive {
        /// The true content type of their payloads, if they were enqueued with a wrong one
        #[arg(long, value_name = "TYPE")]
        content_type: Option<ContentType>,
        #[command(flatten)]
        how: HowArgs,
    },
    /// Make waiting jobs due now
    Promote(HowArgs),
    /// Remove jobs that do not run
    Delete {
        #[command(flatten)]
        how: HowArgs,
        #[command(flatten)]
        confirm: ConfirmArgs,
    },
    /// Keep finished jobs for another time
    Retain {
        /// How long from now: a length of time, `forever`, or `none`
        #[arg(value_parser = parse::keep)]
        keep: Keep,
        #[command(flatten)]
        how: HowArgs,
        #[command(flatten)]
        confirm: ConfirmArgs,
    },
    /// Give waiting jobs another priority
    Prioritize {
        /// Lower is claimed first
        #[arg(value_parser = parse::priority, allow_negative_numbers = true)]
        priority: i16,
        #[command(flatten)]
        how: HowArgs,
    },
    /// Go on with operations that are not over
    Run {
        /// Only this one: QUEUE/NAME, as `queue operations` shows it
        id: Option<OperationId>,
        #[command(flatten)]
        lease: LeaseArgs,
    },
    /// Cancel an operation; what it has done stays done
    Stop {
        /// Its id: QUEUE/NAME, as `queue operations` shows it
        id: OperationId,
    },
}

#[derive(Debug, Args)]
struct HowArgs {
    /// The name of the operation in this queue: started twice under one name, it runs once
    /// [default: a fresh one]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    lease: LeaseArgs,
    #[command(flatten)]
    filter: ChangedArgs,
}

#[derive(Debug, Args)]
struct LeaseArgs {
    /// How long the operation waits after a crash of the program that runs it
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse::positive)]
    lease: Duration,
}

pub(crate) async fn run(args: BulkArgs, session: &Session) -> Result<Exit, CliError> {
    let (action, how, yes) = match args.command {
        BulkCommand::Cancel { processing, how } => {
            (Action::Cancel { processing: on_processing(processing) }, how, false)
        }
        BulkCommand::Redrive { content_type, how } => (Action::Redrive { content_type }, how, false),
        BulkCommand::Promote(how) => (Action::Promote, how, false),
        BulkCommand::Delete { how, confirm } => (Action::Delete, how, confirm.yes),
        BulkCommand::Retain { keep, how, confirm } => (Action::Retain(keep.into()), how, confirm.yes),
        BulkCommand::Prioritize { priority, how } => (Action::Prioritize(priority), how, false),
        BulkCommand::Run { id, lease } => return go_on(id, lease.lease, session).await,
        BulkCommand::Stop { id } => return stop(&id, session).await,
    };
    let HowArgs { name, lease, filter } = &how;
    let wanted = Wanted::new(action, filter, "changed");
    operation::carry_out(Wanted { name: name.clone(), lease: lease.lease, yes, ..wanted }, session).await
}

pub(crate) fn on_processing(processing: bool) -> OnProcessing {
    if processing { OnProcessing::Request } else { OnProcessing::Leave }
}

async fn go_on(id: Option<OperationId>, lease: Duration, session: &Session) -> Result<Exit, CliError> {
    let mut signals = StopSignals::listen()?;
    let run = async |jobs: &_| operation::go_on(id.as_ref(), lease, jobs, session, &mut signals).await;
    session.with_jobs(Missing::Refuse, run).await
}

async fn stop(id: &OperationId, session: &Session) -> Result<Exit, CliError> {
    let change = session.with_jobs(Missing::Refuse, async |jobs| {
        Ok(Operations::of(jobs.storage().clone()).cancel(id).await?)
    });
    let word = match change.await? {
        Change::Done => "cancelled",
        Change::Requested => "requested",
        Change::NotAllowed(state) => {
            return Err(CliError::new(Exit::Negative, format!("the operation {id:?} is {state}")));
        }
        Change::Missing => {
            return Err(CliError::new(Exit::NotFound, format!("there is no operation {id:?}")));
        }
        other => return Err(CliError::unforeseen(other)),
    };
    session.out.answer(|| format!("{word} {id}"), || json!({"operation": id.as_str(), "answer": word}))?;
    Ok(Exit::Ok)
}
