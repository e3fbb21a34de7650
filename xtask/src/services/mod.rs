//! `cargo xtask services`: private servers for tests, on free ports, in a directory that goes away
//! with them.
//!
//! A server joins as a row of the `table` and a function that makes its plan: files, commands, and
//! the signs that it is up. Carrying out a plan is the same for all of them. Nothing here touches a
//! server that was running before, and what is started here ends with this program, even if it is
//! killed.

mod account;
mod certificates;
mod debian;
mod launch;
mod postgres;
mod process;
mod programs;
mod redis;
mod selection;
mod server;
mod sign;
mod table;

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

use self::account::Account;
pub(crate) use self::debian::install;
use self::launch::{Launch, Running};
pub(crate) use self::server::Durability;
use self::server::Server;
use self::table::SERVERS;
use crate::command;
use crate::repo::Repo;
use crate::scratch::Scratch;

const FOLDER_PREFIX: &str = "queue-services-";
/// Of packages that are kept, below `target`.
const CACHE: &str = "services/programs";
const PRIVATE: u32 = 0o700;

#[derive(Subcommand)]
pub(crate) enum Cli {
    /// Runs a command, or a shell, with servers of its own
    Run(Wanted),
}

#[derive(Args)]
pub(crate) struct Wanted {
    /// Servers to start [default: those that everyday tests use]
    #[arg(value_name = "SERVER", value_parser = PossibleValuesParser::new(names(|_| true)))]
    servers: Vec<String>,
    /// What is written is on the disk before it is answered: slow, for measurements
    #[arg(long)]
    durable: bool,
    /// The command [default: your shell]
    #[arg(last = true)]
    command: Vec<OsString>,
}

pub(crate) fn run(repo: &Repo, Cli::Run(wanted): Cli) -> Result<()> {
    let names = match wanted.servers.as_slice() {
        [] => names(|server| server.store.is_some()),
        chosen => chosen.iter().map(String::as_str).collect(),
    };
    let durability = if wanted.durable { Durability::Disk } else { Durability::None };
    let mut command = match wanted.command.split_first() {
        Some((program, arguments)) => {
            let mut command = Command::new(program);
            command.args(arguments);
            command
        }
        None => Command::new(env::var_os("SHELL").unwrap_or_else(|| "sh".into())),
    };
    run_with(repo, &names, durability, &env::temp_dir(), |variables| {
        command::run(command.envs(variables.iter().cloned()))
    })
}

/// Does everyday work with the servers whose store this workspace has, and with their data below a
/// folder; the work gets the variables of the environment that name them.
pub(crate) fn with_everyday_servers(
    repo: &Repo,
    folder: &Path,
    work: impl FnOnce(&[(String, String)]) -> Result<()>,
) -> Result<()> {
    run_with(repo, &everyday(repo), Durability::None, folder, work)
}

/// Runs a command with one server.
pub(crate) fn with_server(
    repo: &Repo,
    name: &str,
    durability: Durability,
    command: &mut Command,
) -> Result<()> {
    run_with(repo, &[name], durability, &env::temp_dir(), |variables| {
        command::run(command.envs(variables.iter().cloned()))
    })
}

/// The servers of everyday tests that are to be started here.
pub(crate) struct Everyday {
    servers: Vec<&'static Server>,
    cache: PathBuf,
}

impl Everyday {
    pub(crate) fn select(repo: &Repo) -> Result<Self> {
        let servers = selection::from_environment(&everyday(repo))?;
        Ok(Self { servers, cache: repo.target().join(CACHE) })
    }

    /// Debian's packages whose programs this machine lacks.
    pub(crate) fn lacking_packages(&self) -> BTreeSet<&'static str> {
        let lacking = self.servers.iter().filter_map(|server| programs::lacking_package(server, &self.cache));
        lacking.collect()
    }

    /// Finds or fetches all programs.
    pub(crate) fn ensure(&self) -> Result<()> {
        self.servers.iter().try_for_each(|server| programs::ensure(server, &self.cache).map(drop))
    }
}

/// Whether this machine is ours to change, and of Debian's kind.
pub(crate) fn may_install() -> Result<bool> {
    Ok(account::is_root()? && debian::is_here())
}

fn everyday(repo: &Repo) -> Vec<&'static str> {
    names(|server| server.store.is_some_and(|store| repo.has_crate(store)))
}

fn names(is_asked_for: impl Fn(&Server) -> bool) -> Vec<&'static str> {
    SERVERS.iter().filter(|server| is_asked_for(server)).map(|server| server.name).collect()
}

/// Stops the servers on every outcome, the last one first.
fn run_with(
    repo: &Repo,
    names: &[&str],
    durability: Durability,
    parent: &Path,
    work: impl FnOnce(&[(String, String)]) -> Result<()>,
) -> Result<()> {
    let servers = selection::from_environment(names)?;
    let cache = repo.target().join(CACHE);
    let programs: Vec<_> =
        servers.iter().map(|server| programs::ensure(server, &cache)).collect::<Result<_>>()?;
    let account = Account::choose()?;
    let folder = Scratch::new(parent, FOLDER_PREFIX, PRIVATE)?;
    account.give(folder.path())?;
    if durability == Durability::Disk {
        require_disk(folder.path())?;
    }
    let mut running = Vec::new();
    for (server, programs) in servers.into_iter().zip(programs) {
        let copy = folder.path().join(format!("{}-programs", server.name));
        let bin = &programs.for_account(account, &copy)?;
        let needed_url = server.needs.map(|name| url_of(name, &running)).transpose()?;
        running.push(Launch { server, bin, folder: folder.path(), account, durability, needed_url }.start()?);
        eprintln!("{}: started from {}", server.name, bin.display());
    }
    let variables: Vec<_> =
        running.iter().map(|server| (server.variable.clone(), server.url.clone())).collect();
    let answer = work(&variables);
    while let Some(server) = running.pop() {
        let name = server.name;
        drop(server);
        eprintln!("{name}: stopped");
    }
    answer
}

/// Where a server is that another needs: started here, or given by the environment.
fn url_of(name: &str, running: &[Running]) -> Result<String> {
    match running.iter().find(|server| server.name == name) {
        Some(server) => Ok(server.url.clone()),
        None => selection::url_from_environment(name),
    }
}

/// In memory, a write that waits for the disk costs nothing and proves nothing. Where the kind of
/// file system is unknown, it is taken for a disk.
fn require_disk(folder: &Path) -> Result<()> {
    let output = Command::new("stat").args(["-f", "-c", "%T"]).arg(folder).output();
    let kind = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    match kind.as_deref() {
        Ok(kind @ ("tmpfs" | "ramfs")) => {
            bail!("{} is kept in memory ({kind}): let TMPDIR name a folder on a disk", folder.display())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::require_disk;
    use std::path::Path;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_folder_in_memory_is_no_disk() {
        let error = require_disk(Path::new("/dev/shm")).expect_err("Linux keeps it in memory");
        assert!(error.to_string().contains("TMPDIR"), "{error}");
        require_disk(Path::new("/no/such/folder")).expect("nothing is known against it");
    }
}
