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

use std::env;
use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use tempfile::TempDir;

use self::account::Account;
use self::launch::{Launch, Running};
pub(crate) use self::server::Durability;
use self::server::Server;
use self::table::SERVERS;
use crate::command;
use crate::repo::Repo;

const FOLDER_PREFIX: &str = "queue-services-";
/// Locked as long as the folder is in use.
const IN_USE: &str = "in-use";

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
    run_with(repo, &names, durability, |variables| command::run(command.envs(variables.iter().cloned())))
}

/// Does everyday work with the servers whose store this workspace has; the work is told the
/// variables of the environment that name them.
pub(crate) fn with_everyday_servers(
    repo: &Repo,
    work: impl FnOnce(&[(String, String)]) -> Result<()>,
) -> Result<()> {
    let names = names(|server| server.store.is_some_and(|store| repo.has_crate(store)));
    run_with(repo, &names, Durability::None, work)
}

/// Runs a command with one server.
pub(crate) fn with_server(
    repo: &Repo,
    name: &str,
    durability: Durability,
    command: &mut Command,
) -> Result<()> {
    run_with(repo, &[name], durability, |variables| command::run(command.envs(variables.iter().cloned())))
}

fn names(is_asked_for: impl Fn(&Server) -> bool) -> Vec<&'static str> {
    SERVERS.iter().filter(|server| is_asked_for(server)).map(|server| server.name).collect()
}

/// Stops the servers whatever comes out, the last one first.
fn run_with(
    repo: &Repo,
    names: &[&str],
    durability: Durability,
    work: impl FnOnce(&[(String, String)]) -> Result<()>,
) -> Result<()> {
    let servers = selection::from_environment(names)?;
    let cache = repo.target().join("services/programs");
    let programs: Vec<_> =
        servers.iter().map(|server| programs::ensure(server, &cache)).collect::<Result<_>>()?;
    let account = Account::choose()?;
    let (folder, _in_use) = new_folder(account)?;
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

/// A folder, and the lock that says that it is in use.
fn new_folder(account: Account) -> Result<(TempDir, File)> {
    remove_abandoned(&env::temp_dir());
    let private = Permissions::from_mode(0o700);
    let made = tempfile::Builder::new().prefix(FOLDER_PREFIX).permissions(private).tempdir();
    let folder = made.context("no temporary folder")?;
    let in_use = File::create(folder.path().join(IN_USE)).context("no room for a lock")?;
    in_use.lock().context("a lock of our own is taken")?;
    account.give(folder.path())?;
    Ok((folder, in_use))
}

/// Removes what programs that were killed have left: their servers have ended by themselves, but
/// nobody removed the folder. One that cannot be removed is somebody else's.
fn remove_abandoned(folders: &Path) {
    for entry in fs::read_dir(folders).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(FOLDER_PREFIX);
        let lock = File::open(entry.path().join(IN_USE));
        if is_ours && lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
            drop(fs::remove_dir_all(entry.path()));
        }
    }
}

/// In memory, a write that waits for the disk costs nothing and proves nothing. Where the kind of
/// file system cannot be told, it is taken for a disk.
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
    use super::{FOLDER_PREFIX, IN_USE, remove_abandoned, require_disk};
    use std::fs::{self, File};
    use std::path::Path;

    #[test]
    fn only_a_folder_of_ours_that_nobody_uses_is_removed() {
        let root = tempfile::tempdir().expect("a folder");
        let make = |name: String| {
            fs::create_dir(root.path().join(&name)).expect("a new folder");
            File::create(root.path().join(name).join(IN_USE)).expect("a lock")
        };
        let used = make(format!("{FOLDER_PREFIX}used"));
        used.lock().expect("nobody has it");
        drop([make(format!("{FOLDER_PREFIX}left")), make("other".to_owned())]);
        remove_abandoned(root.path());
        let mut names: Vec<_> = fs::read_dir(root.path())
            .expect("the folder")
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("plain"))
            .collect();
        names.sort();
        assert_eq!(names, ["other".to_owned(), format!("{FOLDER_PREFIX}used")]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_folder_in_memory_is_no_disk() {
        let error = require_disk(Path::new("/dev/shm")).expect_err("Linux keeps it in memory");
        assert!(error.to_string().contains("TMPDIR"), "{error}");
        require_disk(Path::new("/no/such/folder")).expect("nothing is known against it");
    }
}
