//! The `queue` command: durable background jobs from a shell, over any store that the library opens.
//!
//! `args` says what can be asked, `commands` has one file per command, `output` is the only writer to standard output,
//! `exit` holds every exit code, and `demo` is the proof that killing a worker loses nothing.
//!
//! It is a library so that the end-to-end tests can build the very same program; the one thing to call is [`main`].

mod args;
mod commands;
mod demo;
mod exit;
mod output;
mod parse;
mod process_group;
mod session;
mod signals;

use args::Cli;
use clap::Parser;
use exit::{CliError, Exit};
use std::process::ExitCode;
use tokio::runtime::Builder;

/// The program: reads its arguments, does what they say, and answers the exit code.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let format = cli.globals.format();
    let ended = run(cli);
    let exit = ended.unwrap_or_else(|error| error.report(format));
    ExitCode::from(exit as u8)
}

fn run(cli: Cli) -> Result<Exit, CliError> {
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(commands::run(cli));
    // A thread may still wait for standard input, which nobody needs any more.
    runtime.shutdown_background();
    ended
}
