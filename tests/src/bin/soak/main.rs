//! Long runs that show what a short test cannot: nothing hangs, no answer is wrong, no memory
//! grows.
//!
//! `cargo xtask soak waits`, `jobs`, `growth`, `bulk`, `gates`, `batches`, `partitions`, `copy`,
//! `day` and `quarter` start them; a slice of most is part of every test run, and slices of
//! `clients` and `pages` are part of `cargo xtask clients`. A run prints its measurements, and
//! fails if a condition did not hold. Speed is printed and never judged.

mod batches;
mod bulk;
mod clients;
mod copy;
mod day;
mod failed;
mod gates;
mod growth;
mod jobs;
mod many;
mod memory;
mod pages;
mod partitions;
mod quarter;
mod waits;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Debug, Parser)]
#[command(name = "soak", about = "Long runs of waits and jobs")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Many calls, with hints, without hints, and with workers that are killed
    Waits(waits::WaitsArgs),
    /// Many jobs through one worker
    Jobs(jobs::JobsArgs),
    /// Many waits of every kind, to see that they leave nothing behind
    Growth(growth::GrowthArgs),
    /// A redrive of many failed jobs while workers run, whose runner is killed
    Bulk(bulk::BulkArgs),
    /// Many jobs that count at gates, whose workers are killed, beside the same without gates
    Gates(gates::GatesArgs),
    /// Many jobs in batches, whose workers are killed, beside the same without batches
    Batches(batches::BatchesArgs),
    /// Partitions with a limit while workers are killed, and the waiting times of two tenants
    Partitions(partitions::PartitionsArgs),
    /// A copy of many jobs between kinds of store, which is killed
    Copy(copy::CopyArgs),
    /// Workers in Python and Node that are killed and stopped, judged by what they noted
    Clients(clients::ClientsArgs),
    /// A worker of each client behind a proxy that answers some calls with pages of its own
    Pages(pages::PagesArgs),
    /// The series of a day by a test clock
    Day(day::DayArgs),
    /// The series of ninety days by a test clock, and what of them is kept
    Quarter(quarter::QuarterArgs),
    /// The process that runs the operations of `bulk`
    #[command(hide = true)]
    BulkRunner(bulk::RunnerArgs),
    /// A process that works for `gates` and `batches`
    #[command(hide = true)]
    Worker(many::WorkerArgs),
    /// A process that works for `partitions`
    #[command(hide = true)]
    PartitionWorker(partitions::WorkerArgs),
    /// The process that copies for `copy`
    #[command(hide = true)]
    Copier(copy::CopierArgs),
    /// The answering side of `waits`, in its own process
    #[command(hide = true)]
    Answer(waits::AnswerSettings),
}

#[tokio::main]
async fn main() -> ExitCode {
    let ended = match Cli::parse().command {
        Command::Waits(settings) => waits::run(&settings).await,
        Command::Jobs(settings) => jobs::run(&settings).await,
        Command::Growth(settings) => growth::run(&settings).await,
        Command::Bulk(settings) => bulk::run(&settings).await,
        Command::Gates(settings) => gates::run(&settings).await,
        Command::Batches(settings) => batches::run(&settings).await,
        Command::Partitions(settings) => partitions::run(&settings).await,
        Command::Copy(settings) => copy::run(&settings).await,
        Command::Clients(settings) => clients::run(&settings).await,
        Command::Pages(settings) => pages::run(&settings).await,
        Command::Day(settings) => day::run(&settings).await,
        Command::Quarter(settings) => quarter::run(&settings).await,
        Command::BulkRunner(settings) => bulk::run_operations(settings).await,
        Command::Worker(settings) => many::run_worker(settings).await,
        Command::PartitionWorker(settings) => partitions::run_worker(settings).await,
        Command::Copier(settings) => copy::run_copier(settings).await,
        Command::Answer(settings) => waits::answer(settings).await,
    };
    ended.map_or_else(
        |error| {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}
