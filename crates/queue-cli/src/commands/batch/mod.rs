//! `queue batch`: many jobs, and callbacks once all of them have ended.

mod add;
mod open;
mod show;
mod sweep;

use crate::{
    effect::Effect,
    exit::{CliError, Exit},
    output::plural,
    session::{Jobs, Missing, Session},
};
use add::AddArgs;
use clap::{Args, Subcommand};
use open::OpenArgs;
use queue::{Change, Raw, State, batches::Batch};
use serde_json::json;

#[derive(Debug, Args)]
#[command(after_help = "\
A batch counts its members as they end: completed, failed for good, cancelled, deleted or expired. Once it is sealed and all have \
ended, it enqueues its callbacks, exactly once. The workers of the queue do this, `queue work` or a program.
Every call may be repeated. Exits with 1 if the batch takes no more, or goes on and is to be swept, 3 if there is none of this name.")]
pub(crate) struct BatchArgs {
    #[command(subcommand)]
    command: BatchCommand,
}

#[derive(Debug, Subcommand)]
enum BatchCommand {
    /// List the batches of the queue, the newest first
    Ls,
    /// Show how far a batch is, what runs longest, what holds it up, and the last errors
    Show(LifeArgs),
    /// Open a batch, or find the one that was opened in this way before
    Open(OpenArgs),
    /// Add a member to a batch, or one for each line of a file
    Add(Box<AddArgs>),
    /// Say that no more members come; the batch ends once all have ended
    Seal(NameArgs),
    /// Seal a batch and cancel its members; the workers do so, and some still run meanwhile
    Cancel(NameArgs),
    /// Give a batch up: no callback runs, the members go on, and the name is free
    Abandon(NameArgs),
    /// Run the failed members of a batch again that has not ended; they stay counted as failed
    Retry(NameArgs),
    /// End the records of the members of an abandoned batch, as a batch that ends does by itself
    #[command(after_help = sweep::HELP)]
    Sweep(LifeArgs),
}

#[derive(Debug, Args)]
struct NameArgs {
    /// The name of the batch
    name: String,
}

#[derive(Debug, Args)]
struct LifeArgs {
    /// The name of the batch
    name: String,
    /// The number of the batch, as its members have it in their ids, if the name may have been
    /// taken again
    #[arg(long, value_name = "N")]
    number: Option<u64>,
}

impl BatchArgs {
    pub(crate) fn effect(&self) -> Effect {
        Effect::change_if(!matches!(self.command, BatchCommand::Ls | BatchCommand::Show(_)))
    }
}

pub(crate) async fn run(args: BatchArgs, session: &Session) -> Result<Exit, CliError> {
    match args.command {
        BatchCommand::Ls => show::all(session).await,
        BatchCommand::Show(args) => show::one(&args, session).await,
        BatchCommand::Open(args) => open::run(args, session).await,
        BatchCommand::Add(args) => add::run(*args, session).await,
        BatchCommand::Seal(NameArgs { name }) => {
            let seal = async |batch: &Batch<Raw, Raw>| Ok(batch.seal().await.map(|()| Change::Done)?);
            change(&name, "sealed", session, seal).await
        }
        BatchCommand::Cancel(NameArgs { name }) => {
            change(&name, "cancelling", session, async |batch| Ok(batch.cancel().await?)).await
        }
        BatchCommand::Abandon(NameArgs { name }) => {
            change(&name, "abandoned", session, async |batch| Ok(batch.abandon().await?)).await
        }
        BatchCommand::Retry(NameArgs { name }) => retry(&name, session).await,
        BatchCommand::Sweep(args) => sweep::run(args, session).await,
    }
}

/// Changes the batch of a name. The answer has its number, by which its members are found when the
/// name has a later batch.
async fn change(
    name: &str,
    answer: &'static str,
    session: &Session,
    change: impl AsyncFnOnce(&Batch<Raw, Raw>) -> Result<Change, CliError>,
) -> Result<Exit, CliError> {
    let change = async |jobs: &Jobs| {
        let batch = find(name, jobs, session).await?;
        match change(&batch).await? {
            Change::Done | Change::Requested | Change::NotAllowed(State::Cancelled) => Ok(batch.seq().get()),
            Change::Missing => Err(no_such(name, session)),
            other => Err(CliError::unforeseen(other)),
        }
    };
    let seq = session.with_jobs(Missing::Refuse, change).await?;
    session.out.answer(
        || format!("{answer} {name}@{seq}"),
        || json!({"batch": name, "seq": seq, "answer": answer}),
    )?;
    Ok(Exit::Ok)
}

async fn find(name: &str, jobs: &Jobs, session: &Session) -> Result<Batch<Raw, Raw>, CliError> {
    jobs.batches().find(name).await?.ok_or_else(|| no_such(name, session))
}

async fn retry(name: &str, session: &Session) -> Result<Exit, CliError> {
    let retried = async |jobs: &Jobs| {
        let batch = find(name, jobs, session).await?;
        if batch.status().await?.is_over() {
            let ended = format!("the batch {name:?} has ended, and so have its callbacks been decided");
            return Err(CliError::new(Exit::Negative, ended));
        }
        Ok(batch.jobs().failed().redrive_all().await?)
    };
    let retried = session.with_jobs(Missing::Refuse, retried).await?;
    session.out.answer(
        || format!("queued {}", plural(retried.done, "member", "members")),
        || json!({"batch": name, "answer": "queued", "members": retried.done}),
    )?;
    Ok(Exit::Ok)
}

fn no_such(name: &str, session: &Session) -> CliError {
    CliError::new(Exit::NotFound, format!("there is no batch {name:?} in the queue {:?}", session.name))
}
