//! Measures scenario by store and prints one JSON line per measurement, then tables of medians.
//! `cargo xtask bench` runs it with servers of its own, and has it write docs/BENCHMARKS.md from
//! what it kept.
//!
//! Figures count durable completions in the store, not handler calls. Rates of one run compare with
//! each other and with the floor measured beside them; between machines, and between runs of a busy
//! one, they do not.

mod bed;
mod clock;
mod engine;
mod figures;
mod floor;
mod machine;
mod measure;
mod measurement;
mod page;
mod processor;
mod resident;
mod results;
mod run;
mod scenario;
mod stopwatch;
mod store;
mod telemetry;

use clap::{Parser, Subcommand};

/// How fast the stores are on this machine.
///
/// Redis and Postgres are measured where `QUEUE_TEST_REDIS_URL` and `QUEUE_TEST_POSTGRES_URL` lead,
/// in a namespace of their own; `cargo xtask bench` starts private ones with honest durability.
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    what: measure::MeasureArgs,
    /// One of several worker processes of a measurement; started by the program itself.
    #[arg(long, hide = true, value_name = "URL")]
    worker: Option<String>,
    /// The process of one measurement of memory; started by the program itself.
    #[arg(long, hide = true, value_name = "ORDER")]
    footprint: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Writes the page from results that were kept
    Page(page::Places),
    /// What metrics cost a job
    Telemetry(telemetry::TelemetryArgs),
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    match (cli.command, cli.worker, cli.footprint) {
        (Some(Command::Page(places)), ..) => page::write(&places),
        (Some(Command::Telemetry(wanted)), ..) => telemetry::run(&wanted).await,
        (None, Some(url), _) => scenario::consumers::work(&url).await,
        (None, None, Some(order)) => scenario::footprint::obey(&order).await,
        (None, None, None) => measure::run(&cli.what).await,
    }
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
