//! `queue demo`: the promise of this library, shown and then checked.
//!
//! Real jobs go into a store that several processes share, real worker processes work on them, and
//! one is killed with SIGKILL in mid-work. Every worker writes each start and end of a job to a log
//! file of its own, which shares nothing with the store. At the end the audit holds the logs
//! against the store: nothing lost, every result right, and a reason for every job that ran twice.

mod audit;
mod display;
mod document;
mod fleet;
mod ledger;
mod logbook;
mod place;
mod show;
mod summary;
mod victim;
mod watch;
mod worker;

pub(crate) use worker::{DemoWorkerArgs, run as run_worker};

use crate::{
    args::Globals,
    exit::{CliError, Exit},
    output::Output,
    signals::StopSignals,
};
use clap::Args;
use place::Place;
use std::time::Duration;

/// Short, so that the jobs of the killed worker wait no longer than this.
const LEASE: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
#[command(after_help = "\
Without --store it uses a file in a temporary directory, and $QUEUE_STORE does not count. A store that is given must be one
that several processes can share; the demo uses a queue of its own there and empties it afterwards.
Exits with 1 if a job was lost, has a wrong result, or ran twice for no reason.")]
pub(crate) struct DemoArgs {
    /// How many jobs
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u32).range(200..=1_000_000))]
    jobs: u32,
    /// How many worker processes, of which one is killed
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(2..=64))]
    workers: u32,
}

pub(crate) async fn run(args: DemoArgs, globals: &Globals) -> Result<Exit, CliError> {
    let mut signals = StopSignals::listen()?;
    let out = Output::new(globals.format());
    let place = Place::open(globals.store.as_deref(), &globals.opener).await?;
    let ended = tokio::select! {
        audit = show::run(&args, &place, out) => audit,
        () = signals.next() => Err(CliError::new(Exit::Interrupted, "interrupted; the workers were stopped")),
    };
    let cleaned = place.clean().await;
    let audit = ended?;
    cleaned?;
    summary::print(&audit, out)?;
    Ok(if audit.is_proof() { Exit::Ok } else { Exit::Negative })
}
