//! One file per command, in a folder by subject: its arguments, what it does, and what it answers.

pub(crate) mod batch;
pub(crate) mod change;
pub(crate) mod jobs;
pub(crate) mod queues;
pub(crate) mod schedule;
pub(crate) mod service;
pub(crate) mod shell;
pub(crate) mod store;
#[cfg(feature = "top")]
pub(crate) mod top;
mod watch;
pub(crate) mod workers;

use crate::{
    args::{Cli, Command},
    exit::{CliError, Exit},
    output,
    service_address::ServiceAddress,
    session::Session,
};

pub(crate) async fn run(mut cli: Cli) -> Result<Exit, CliError> {
    cli.globals.effect = cli.command.effect();
    let globals = &cli.globals;
    let session = || {
        let session = Session::new(globals)?;
        if let Some(warning) = session.server.as_ref().and_then(ServiceAddress::exposure) {
            output::warn(globals.format(), warning);
        }
        Ok::<_, CliError>(session)
    };
    match cli.command {
        Command::Enqueue(args) => jobs::enqueue::run(args, &session()?).await,
        Command::Work(args) => workers::work::run(args, &session()?).await,
        Command::Lead(args) => workers::lead::run(args, &session()?).await,
        Command::Status(args) => jobs::status::run(args, &session()?).await,
        Command::Show(args) => jobs::show::run(args, &session()?).await,
        Command::Result(args) => jobs::result::run(args, &session()?).await,
        Command::Wait(args) => jobs::wait::run(args, &session()?).await,
        Command::Cancel(args) => change::cancel::run(args, &session()?).await,
        Command::List(args) => jobs::list::run(args, &session()?).await,
        Command::Stats(args) => queues::stats::run(args, &session()?).await,
        Command::Queues(args) => queues::overview::run(args, &session()?).await,
        Command::Limits(args) => queues::limits::run(args, &session()?).await,
        Command::Partitions(args) => queues::partitions::run(args, &session()?).await,
        Command::Workers(args) => workers::list::run(args, &session()?).await,
        Command::Drain(args) => workers::drain::run(args, &session()?).await,
        Command::Errors(args) => jobs::errors::run(args, &session()?).await,
        Command::Events(args) => jobs::events::run(args, &session()?).await,
        Command::Promote(args) => change::promote::run(args, &session()?).await,
        Command::Redrive(args) => change::redrive::run(args, &session()?).await,
        Command::Amend(args) => change::amend::run(args, &session()?).await,
        Command::Delete(args) => change::delete::run(args, &session()?).await,
        Command::Bulk(args) => change::bulk::run(args, &session()?).await,
        Command::Operations(args) => change::operations::run(&args, &session()?).await,
        Command::Prune(args) => change::prune::run(args, &session()?).await,
        Command::Pause(args) => queues::pause::pause(args, &session()?).await,
        Command::Resume(args) => queues::pause::resume(args, &session()?).await,
        Command::Schedule(args) => schedule::run(args, globals).await,
        Command::Batch(args) => batch::run(args, &session()?).await,
        Command::Serve(args) => service::serve::run(*args, &session()?).await,
        #[cfg(feature = "top")]
        Command::Top(args) => top::run(args, &session()?).await,
        Command::Token(args) => service::token::run(args, globals),
        Command::Verify => store::verify::run(&session()?).await,
        Command::Doctor(args) => store::doctor::run(args, &session()?).await,
        Command::Fsck(args) => store::fsck::run(&args, globals.output()),
        Command::Dump(args) => store::dump::run(&args, globals.output()),
        Command::Copy(args) => store::copy::run(args, globals).await,
        Command::Migrate(args) => store::migrate::run(args, globals).await,
        Command::Completions(args) => shell::completions::run(&args, globals.output()),
        Command::Man(args) => shell::man::run(&args, globals.output()),
    }
}
