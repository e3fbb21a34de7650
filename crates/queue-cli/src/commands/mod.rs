//! One file per command: its arguments, what it does, and what it answers.

pub(crate) mod amend;
pub(crate) mod bulk;
mod bulk_report;
pub(crate) mod cancel;
pub(crate) mod completions;
mod confirm;
pub(crate) mod copy;
pub(crate) mod delete;
pub(crate) mod doctor;
pub(crate) mod drain;
pub(crate) mod dump;
mod ending;
pub(crate) mod enqueue;
pub(crate) mod errors;
pub(crate) mod events;
mod filter_args;
pub(crate) mod fsck;
mod job_args;
mod job_pauses;
pub(crate) mod lead;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod migrate;
mod operation;
pub(crate) mod operations;
pub(crate) mod pause;
mod pauses;
pub(crate) mod promote;
pub(crate) mod prune;
pub(crate) mod queues;
pub(crate) mod redrive;
pub(crate) mod result;
pub(crate) mod schedule;
mod series;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod status;
mod timeline;
pub(crate) mod token;
#[cfg(feature = "top")]
pub(crate) mod top;
mod verify;
pub(crate) mod wait;
mod watch;
pub(crate) mod work;
pub(crate) mod workers;

use crate::{
    args::{Cli, Command},
    exit::{CliError, Exit},
    output::Output,
    session::Session,
};

pub(crate) async fn run(cli: Cli) -> Result<Exit, CliError> {
    let globals = &cli.globals;
    let session = || Session::new(globals);
    match cli.command {
        Command::Enqueue(args) => enqueue::run(args, &session()?).await,
        Command::Work(args) => work::run(args, &session()?).await,
        Command::Lead(args) => lead::run(args, &session()?).await,
        Command::Status(args) => status::run(args, &session()?).await,
        Command::Show(args) => show::run(args, &session()?).await,
        Command::Result(args) => result::run(args, &session()?).await,
        Command::Wait(args) => wait::run(args, &session()?).await,
        Command::Cancel(args) => cancel::run(args, &session()?).await,
        Command::List(args) => list::run(args, &session()?).await,
        Command::Stats(args) => stats::run(args, &session()?).await,
        Command::Queues(args) => queues::run(args, &session()?).await,
        Command::Workers(args) => workers::run(args, &session()?).await,
        Command::Drain(args) => drain::run(args, &session()?).await,
        Command::Errors(args) => errors::run(args, &session()?).await,
        Command::Events(args) => events::run(args, &session()?).await,
        Command::Promote(args) => promote::run(args, &session()?).await,
        Command::Redrive(args) => redrive::run(args, &session()?).await,
        Command::Amend(args) => amend::run(args, &session()?).await,
        Command::Delete(args) => delete::run(args, &session()?).await,
        Command::Bulk(args) => bulk::run(args, &session()?).await,
        Command::Operations(args) => operations::run(&args, &session()?).await,
        Command::Prune(args) => prune::run(args, &session()?).await,
        Command::Pause(args) => pause::pause(args, &session()?).await,
        Command::Resume(args) => pause::resume(args, &session()?).await,
        Command::Schedule(args) => schedule::run(args, globals).await,
        Command::Serve(args) => serve::run(*args, &session()?).await,
        #[cfg(feature = "top")]
        Command::Top(args) => top::run(args, &session()?).await,
        Command::Token(args) => token::run(args, globals),
        Command::Verify => verify::run(&session()?).await,
        Command::Doctor(args) => doctor::run(args, &session()?).await,
        Command::Fsck(args) => fsck::run(&args, Output::new(globals.format())),
        Command::Dump(args) => dump::run(&args, Output::new(globals.format())),
        Command::Copy(args) => copy::run(args, globals).await,
        Command::Migrate(args) => migrate::run(args, globals).await,
        Command::Completions(args) => completions::run(&args, Output::new(globals.format())),
        Command::Man(args) => man::run(&args, Output::new(globals.format())),
    }
}
