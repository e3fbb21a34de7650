//! `cargo xtask services`: private servers for tests, on free ports, in a directory that goes away with them.
//!
//! A server joins with one file that implements [`Server`] and one entry in [`ALL`]. Nothing here touches a
//! server that was running before: a process is stopped only by the number, and start time, of its own start.

mod account;
mod install;
mod launch;
mod postgres;
mod process;
mod redis;
mod selection;
mod server;
mod set;
mod state;

use std::ffi::OsString;
use std::process::Command;

use anyhow::{Result, bail};
use clap::Subcommand;

use self::server::Server;
use self::set::Set;
use crate::command;
use crate::repo::Repo;

/// Every server that this program can start.
const ALL: &[&dyn Server] = &[&postgres::Postgres, &redis::Redis];

#[derive(Subcommand)]
pub(crate) enum Cli {
    /// Starts servers that stay up; prints the environment as `export` lines
    Up {
        /// Names of servers, separated by commas [default: all]
        #[arg(long, value_delimiter = ',')]
        only: Vec<String>,
    },
    /// Stops what `up` started, and what a killed `run` left behind
    Down,
    /// Runs a command with servers of its own
    Run {
        /// Names of servers, separated by commas [default: all]
        #[arg(long, value_delimiter = ',')]
        only: Vec<String>,
        #[arg(last = true, required = true)]
        command: Vec<OsString>,
    },
}

pub(crate) fn run(repo: &Repo, cli: Cli) -> Result<()> {
    match cli {
        Cli::Up { only } => up(repo, &named(only)),
        Cli::Down => down(repo),
        Cli::Run { only, command } => {
            let mut program = Command::new(&command[0]);
            with_servers(repo, &named(only), program.args(&command[1..]))
        }
    }
}

/// Runs a command while servers are up, and stops them whatever it answers.
pub(crate) fn with_servers(repo: &Repo, names: &[String], command: &mut Command) -> Result<()> {
    set::sweep(repo)?;
    let set = Set::start_for_this_process(repo, &selection::from_environment(names)?)?;
    let answer = command::run(command.envs(set.environment()));
    set.stop()?;
    answer
}

/// The servers whose store this workspace has, by the name of its crate.
pub(crate) fn needed(repo: &Repo) -> Vec<String> {
    let names = ALL.iter().map(|server| server.name());
    names.filter(|name| repo.has_crate(&format!("queue-{name}"))).map(str::to_owned).collect()
}

fn named(only: Vec<String>) -> Vec<String> {
    if only.is_empty() { ALL.iter().map(|server| server.name().to_owned()).collect() } else { only }
}

fn up(repo: &Repo, names: &[String]) -> Result<()> {
    set::sweep(repo)?;
    if Set::find_up(repo)?.is_some() {
        bail!("servers are up already: `cargo xtask services down` stops them");
    }
    let set = Set::start_to_stay(repo, &selection::from_environment(names)?)?;
    for (variable, url) in set.environment() {
        println!("export {variable}='{url}'");
    }
    Ok(())
}

fn down(repo: &Repo) -> Result<()> {
    set::sweep(repo)?;
    let Some(set) = Set::find_up(repo)? else {
        eprintln!("no server is up");
        return Ok(());
    };
    set.stop()
}
