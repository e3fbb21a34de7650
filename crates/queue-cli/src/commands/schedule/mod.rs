//! `queue schedule`: jobs at calendar times.

mod add;
mod next;
pub(super) mod show;
mod timing;

use crate::{
    effect::Effect,
    exit::{CliError, Exit},
    globals::Globals,
    session::{Jobs, Missing, Session},
};
use add::AddArgs;
use clap::{Args, Subcommand};
use next::NextArgs;
use queue::{Change, Raw, State, schedules::Schedules};
use serde_json::json;

#[derive(Debug, Args)]
#[command(after_help = "\
A schedule is kept in its queue as a job that waits for its next tick. The workers of the queue, `queue work` or a program, \
enqueue the tick's job when its time has come, exactly once, however many workers there are.
Exits with 3 if there is no such schedule.")]
pub(crate) struct ScheduleArgs {
    #[command(subcommand)]
    command: ScheduleCommand,
}

#[derive(Debug, Subcommand)]
enum ScheduleCommand {
    /// List the schedules of the queue
    Ls,
    /// Show all of a schedule
    Show(NameArgs),
    /// Make a schedule, or change the one of this name
    Add(Box<AddArgs>),
    /// Stop a schedule until it is resumed
    Pause(NameArgs),
    /// Resume a paused schedule
    Resume(NameArgs),
    /// Enqueue the job of a schedule now, beside its ticks
    Run(NameArgs),
    /// Show the next ticks of a schedule, or of a pattern that no schedule has yet, in its zone and
    /// in UTC
    Next(Box<NextArgs>),
    /// Remove a schedule; jobs that it enqueued stay
    Rm(NameArgs),
}

#[derive(Debug, Args)]
struct NameArgs {
    /// The name of the schedule
    name: String,
}

impl ScheduleArgs {
    pub(crate) fn effect(&self) -> Effect {
        match self.command {
            ScheduleCommand::Ls | ScheduleCommand::Show(_) | ScheduleCommand::Next(_) => Effect::None,
            ScheduleCommand::Add(_)
            | ScheduleCommand::Pause(_)
            | ScheduleCommand::Resume(_)
            | ScheduleCommand::Run(_)
            | ScheduleCommand::Rm(_) => Effect::Change,
        }
    }
}

pub(crate) async fn run(args: ScheduleArgs, globals: &Globals) -> Result<Exit, CliError> {
    let session = || Session::new(globals);
    match args.command {
        ScheduleCommand::Ls => show::all(&session()?).await,
        ScheduleCommand::Show(NameArgs { name }) => show::one(&name, &session()?).await,
        ScheduleCommand::Add(args) => add::run(*args, &session()?).await,
        ScheduleCommand::Pause(NameArgs { name }) => {
            change(&name, "paused", &session()?, async |schedules| Ok(schedules.pause(&name).await?)).await
        }
        ScheduleCommand::Resume(NameArgs { name }) => {
            change(&name, "resumed", &session()?, async |schedules| Ok(schedules.resume(&name).await?)).await
        }
        ScheduleCommand::Run(NameArgs { name }) => run_now(&name, &session()?).await,
        ScheduleCommand::Next(args) => next::run(*args, globals).await,
        ScheduleCommand::Rm(NameArgs { name }) => {
            change(&name, "removed", &session()?, async |schedules| Ok(schedules.remove(&name).await?)).await
        }
    }
}

/// The schedules of jobs of bytes.
type RawSchedules = Schedules<Raw, Raw>;

async fn change(
    name: &str,
    answer: &str,
    session: &Session,
    change: impl AsyncFnOnce(&RawSchedules) -> Result<Change, CliError>,
) -> Result<Exit, CliError> {
    let changed = async |jobs: &Jobs| change(&jobs.schedules()).await;
    match session.with_jobs(Missing::Refuse, changed).await? {
        // A schedule that fires just now takes the change up when it is done.
        Change::Done | Change::Requested => {
            session
                .out
                .answer(|| format!("{answer} {name}"), || json!({"schedule": name, "answer": answer}))?;
            Ok(Exit::Ok)
        }
        Change::Missing | Change::NotAllowed(State::Cancelled) => Err(no_such(name, session)),
        Change::NotAllowed(state) => Err(CliError::new(
            Exit::Negative,
            format!("the schedule {name:?} is {state}; create it again with `queue schedule add`"),
        )),
        other => Err(CliError::unforeseen(other)),
    }
}

async fn run_now(name: &str, session: &Session) -> Result<Exit, CliError> {
    let run = async |jobs: &Jobs| Ok(jobs.schedules().run_now(name).await?);
    let id = session.with_jobs(Missing::Refuse, run).await?.ok_or_else(|| no_such(name, session))?;
    session.out.answer(|| format!("queued {id}"), || json!({"schedule": name, "id": id.as_str()}))?;
    Ok(Exit::Ok)
}

fn no_such(name: &str, session: &Session) -> CliError {
    CliError::new(Exit::NotFound, format!("there is no schedule {name:?} in the queue {:?}", session.name))
}
