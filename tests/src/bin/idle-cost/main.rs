//! Measures the cost of a process that waits for work: its wake-ups and its processor time per
//! minute, alone, and beside a process that is busy with another queue of the same store.
//!
//! It runs itself as both. The idle process has a worker with default settings and a caller that
//! waits for a result. The figures exist on Linux only.

mod busy;
mod cost;
mod idle;

use clap::{Parser, Subcommand};
use std::{env, error::Error, process::Stdio};
use tokio::process::Command;

type Failed = Box<dyn Error + Send + Sync>;

#[derive(Debug, Parser)]
#[command(about = "The cost of an idle process", args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    role: Option<ProcessRole>,
    /// The URLs of the stores [default: a new SQLite file and a new directory]. Servers keep two
    /// queues of this run
    stores: Vec<String>,
    /// How long to watch each store
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
}

#[derive(Debug, Subcommand)]
enum ProcessRole {
    /// The process that waits
    #[command(hide = true)]
    Idle { store: String, seconds: u64 },
    /// The process beside it
    #[command(hide = true)]
    Busy { store: String, seconds: u64 },
}

#[tokio::main]
async fn main() -> Result<(), Failed> {
    let Cli { role, stores, seconds } = Cli::parse();
    match role {
        Some(ProcessRole::Idle { store, seconds }) => idle::wait(&store, seconds).await,
        Some(ProcessRole::Busy { store, seconds }) => busy::work(&store, seconds).await,
        None => compare(stores, seconds).await,
    }
}

async fn compare(mut stores: Vec<String>, seconds: u64) -> Result<(), Failed> {
    let place = tempfile::tempdir()?;
    if stores.is_empty() {
        let path = place.path().display();
        stores = vec![format!("sqlite:{path}/jobs.db"), format!("file:{path}/jobs")];
    }
    println!("| store | | wake-ups a minute | CPU ms a minute | jobs a second of the other |");
    println!("|---|---|---:|---:|---:|");
    for store in stores {
        let name = store.split(':').next().unwrap_or_default();
        let alone = run("idle", &store, seconds).await?;
        println!("| {name} | alone | {alone} | |");
        if name != "memory" {
            // The busy process runs before and after the measurement.
            let (beside, busy) =
                tokio::try_join!(run("idle", &store, seconds), run("busy", &store, seconds + 6))?;
            println!("| {name} | beside a busy queue | {beside} | {busy} |");
        }
    }
    Ok(())
}

/// Runs a process, and returns its output.
async fn run(role: &str, store: &str, seconds: u64) -> Result<String, Failed> {
    let mut command = Command::new(env::current_exe()?);
    command.args([role, store, &seconds.to_string()]).stderr(Stdio::inherit()).kill_on_drop(true);
    let ended = command.output().await?;
    if !ended.status.success() {
        return Err(format!("the {role} process ended with {}", ended.status).into());
    }
    Ok(String::from_utf8(ended.stdout)?.trim().to_owned())
}
