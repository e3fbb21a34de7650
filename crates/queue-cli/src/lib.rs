//! The `queue` command: durable background jobs from a shell, over any store that the library opens.
//!
//! `args` says what can be asked, `commands` has one file per command, `output` is the only writer to the terminal,
//! `exit` holds every exit code, and `demo` is the proof that killing a worker loses nothing.
//!
//! It is a library so that the end-to-end tests can build the very same program; [`main`] is all of it, and [`commands`] lets
//! them leave none out.

mod args;
mod commands;
mod content_type;
mod demo;
mod exit;
mod output;
mod parse;
mod process_group;
mod session;
mod signals;

use args::Cli;
use clap::{CommandFactory, Parser};
use exit::{CliError, Exit};
use std::{env, ffi::OsString, process::ExitCode};
use tokio::runtime::Builder;

/// The program: reads its arguments, does what they say, and answers the exit code.
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().collect();
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(exit::of_arguments(error, &arguments) as u8),
    };
    let format = cli.globals.format();
    let ended = run(cli);
    let exit = ended.unwrap_or_else(|error| error.report(format));
    ExitCode::from(exit as u8)
}

/// The names of all commands, hidden ones too: for tests that go through each of them.
pub fn commands() -> Vec<String> {
    Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

fn run(cli: Cli) -> Result<Exit, CliError> {
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(commands::run(cli));
    // A thread may still wait for standard input, which nobody needs any more.
    runtime.shutdown_background();
    ended
}
