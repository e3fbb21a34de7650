//! `cargo xtask services`: private servers for tests, on free ports, in a directory that goes away
//! with them.
//!
//! A server joins with one file that implements [`Server`] and one entry in [`ALL`]. Nothing here
//! touches a server that was running before: a process is stopped only by the number, and start
//! time, of its own start.

mod account;
mod certificates;
mod children;
mod debian;
mod disk;
mod fetch;
mod install;
mod launch;
#[cfg(test)]
mod launch_tests;
mod package;
mod pgbouncer;
mod postgres;
mod process;
mod redis;
mod redis_cluster;
mod redis_node;
mod redis_sentinel;
mod selection;
mod server;
mod set;
mod state;

use std::ffi::OsString;
use std::process::Command;

use anyhow::{Result, bail};
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

pub(crate) use self::server::Durability;
use self::server::Server;
use self::set::{Set, Wanted};
use crate::command;
use crate::repo::Repo;

/// Every server that this program can start. One that needs another comes after it.
const ALL: &[&dyn Server] = &[
    &postgres::POSTGRES,
    &postgres::POSTGRES13,
    &postgres::POSTGRES14,
    &postgres::POSTGRES16,
    &postgres::POSTGRES17,
    &postgres::POSTGRES18,
    &postgres::POSTGRES_TLS,
    &pgbouncer::PgBouncer,
    &redis::REDIS,
    &redis::REDIS_TLS,
    &redis::VALKEY,
    &redis_cluster::CLUSTER,
    &redis_cluster::CLUSTER_TLS,
    &redis_sentinel::SENTINEL,
    &redis_sentinel::SENTINEL_TLS,
];

#[derive(Subcommand)]
pub(crate) enum Cli {
    /// Starts servers that stay up; prints the environment as `export` lines
    Up(Choice),
    /// Stops what `up` started, and what a killed `run` left behind
    Down,
    /// Runs a command with servers of its own
    Run {
        #[command(flatten)]
        choice: Choice,
        #[arg(last = true, required = true)]
        command: Vec<OsString>,
    },
}

#[derive(Args)]
pub(crate) struct Choice {
    /// Servers to start [default: those that everyday tests use]
    #[arg(value_name = "SERVER", value_parser = PossibleValuesParser::new(names(|_| true)))]
    servers: Vec<String>,
    /// What is written is on the disk before it is answered: slow, for measurements
    #[arg(long)]
    durable: bool,
}

pub(crate) fn run(repo: &Repo, cli: Cli) -> Result<()> {
    match cli {
        Cli::Up(choice) => up(repo, &choice),
        Cli::Down => down(repo),
        Cli::Run { choice, command } => {
            let mut program = Command::new(&command[0]);
            run_with(repo, &choice.wanted()?, program.args(&command[1..]))
        }
    }
}

/// Runs everyday tests with the servers whose store this workspace has, and stops them whatever
/// comes out.
pub(crate) fn with_everyday_servers(repo: &Repo, command: &mut Command) -> Result<()> {
    let names = names(|server| server.store().is_some_and(|store| repo.has_crate(store)));
    let servers = selection::from_environment(&names)?;
    run_with(repo, &Wanted { servers, durability: Durability::None }, command)
}

/// Runs a command with one server, and stops it whatever comes out.
pub(crate) fn with_server(
    repo: &Repo,
    name: &str,
    durability: Durability,
    command: &mut Command,
) -> Result<()> {
    let servers = selection::from_environment(&[name])?;
    run_with(repo, &Wanted { servers, durability }, command)
}

fn run_with(repo: &Repo, wanted: &Wanted, command: &mut Command) -> Result<()> {
    set::sweep(repo)?;
    let set = Set::start_for_this_process(repo, wanted)?;
    let answer = command::run(command.envs(set.environment()));
    set.stop()?;
    answer
}

fn up(repo: &Repo, choice: &Choice) -> Result<()> {
    set::sweep(repo)?;
    if Set::find_up(repo)?.is_some() {
        bail!("servers are up already: `cargo xtask services down` stops them");
    }
    let set = Set::start_to_stay(repo, &choice.wanted()?)?;
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

impl Choice {
    fn wanted(&self) -> Result<Wanted> {
        let names = match self.servers.as_slice() {
            [] => names(|server| server.store().is_some()),
            chosen => chosen.iter().map(String::as_str).collect(),
        };
        let durability = if self.durable { Durability::Disk } else { Durability::None };
        Ok(Wanted { servers: selection::from_environment(&names)?, durability })
    }
}

fn names(is_asked_for: impl Fn(&dyn Server) -> bool) -> Vec<&'static str> {
    let servers = ALL.iter().filter(|server| is_asked_for(**server));
    servers.map(|server| server.name()).collect()
}

#[cfg(test)]
mod tests {
    use super::{ALL, names};

    #[test]
    fn names_and_variables_are_unique() {
        for (index, server) in ALL.iter().enumerate() {
            let others = &ALL[..index];
            assert!(others.iter().all(|other| other.name() != server.name()), "{}", server.name());
            assert!(others.iter().all(|other| other.variable() != server.variable()), "{}", server.name());
        }
    }

    #[test]
    fn a_server_comes_after_the_one_it_needs() {
        for (index, server) in ALL.iter().enumerate() {
            let is_before = |needed| ALL[..index].iter().any(|other| other.name() == needed);
            assert!(server.needs().is_none_or(is_before), "{}", server.name());
        }
    }

    #[test]
    fn everyday_tests_start_few_servers() {
        assert_eq!(
            names(|server| server.store().is_some()),
            [
                "postgres",
                "postgres-tls",
                "pgbouncer",
                "redis",
                "redis-tls",
                "redis-cluster",
                "redis-cluster-tls",
                "redis-sentinel-tls"
            ]
        );
    }
}
