//! Measures how long a call takes from one process to another and back over a shared store, how
//! long the store's own round trips take, and how busy both processes are while nothing happens.
//!
//! It runs itself as a worker and makes calls one after the other with `enqueue_and_wait`.
//! Meanwhile every poll interval on both sides is an hour, so only events can wake either side: if
//! one were lost, the run would not end.

mod calls;
mod idle;
mod other_side;
mod round_trips;
mod store;

use clap::{Args, Parser, Subcommand};
use std::{error::Error, path::Path, process::ExitCode, time::Duration};
use store::Store;

type Failed = Box<dyn Error>;

#[derive(Debug, Parser)]
#[command(about = "The latency of calls between two processes", args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    role: Option<ProcessRole>,
    #[command(flatten)]
    settings: LatencyArgs,
}

#[derive(Debug, Subcommand)]
enum ProcessRole {
    /// The answering process
    #[command(hide = true)]
    Answer(Store),
}

#[derive(Args, Debug)]
struct LatencyArgs {
    /// How many calls to count
    #[arg(default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..))]
    calls: u64,
    /// The store, shared by both processes [default: a temporary file]
    #[arg(long)]
    store: Option<String>,
    /// How long to watch both processes idle afterwards [default: not at all]
    #[arg(long, default_value_t = 0)]
    idle_seconds: u64,
}

#[tokio::main]
async fn main() -> ExitCode {
    let Cli { role, settings } = Cli::parse();
    let ended = match role {
        Some(ProcessRole::Answer(store)) => other_side::answer(store).await,
        None => measure(&settings).await,
    };
    ended.map_or_else(
        |error| {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

async fn measure(settings: &LatencyArgs) -> Result<(), Failed> {
    let files = tempfile::tempdir()?;
    let url = |name: &str| settings.store.clone().unwrap_or_else(|| in_file(&files.path().join(name)));
    let store = Store::by_events_alone(url("calls.db"));
    let alone = round_trips::measure(&store, settings.calls).await?;
    let called = calls::measure(&store, settings.calls).await?;
    println!("{} calls, each by event alone: {called}", called.count());
    println!("the store alone, one after the other:\n{alone}");
    let times = called.within(500).as_secs_f64() / alone.sum().as_secs_f64();
    println!("a call takes {times:.2} times as long as the four round trips that it is made of");
    if settings.idle_seconds > 0 {
        idle::measure(&Store::with_default_polls(url("idle.db")), Duration::from_secs(settings.idle_seconds))
            .await?;
    }
    Ok(())
}

fn in_file(path: &Path) -> String {
    format!("sqlite:{}", path.display())
}
