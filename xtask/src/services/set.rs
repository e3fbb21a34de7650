//! Servers that are started and stopped together.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::account::Account;
use super::process::Process;
use super::server::Server;
use super::state::State;
use super::{install, launch};
use crate::repo::Repo;

/// A folder is removed only if its name starts like this, whatever a state file says.
const FOLDER_PREFIX: &str = "queue-services-";
const UP: &str = "up.json";

/// A set that runs, with the file that remembers it.
pub(super) struct Set {
    file: PathBuf,
    state: State,
}

impl Set {
    /// Starts servers that outlive this program.
    pub(super) fn start_to_stay(repo: &Repo, servers: &[&dyn Server]) -> Result<Self> {
        Self::start(states(repo).join(UP), None, servers)
    }

    /// Starts servers that are swept away once this program has ended.
    pub(super) fn start_for_this_process(repo: &Repo, servers: &[&dyn Server]) -> Result<Self> {
        let pid = std::process::id();
        let owner = Process::of(pid).context("this process is not to be seen")?;
        Self::start(states(repo).join(format!("run-{pid}.json")), Some(owner), servers)
    }

    /// The set that `up` started, if there is one.
    pub(super) fn find_up(repo: &Repo) -> Result<Option<Self>> {
        let file = states(repo).join(UP);
        if file.exists() { Self::load(file).map(Some) } else { Ok(None) }
    }

    pub(super) fn environment(&self) -> impl Iterator<Item = (&str, &str)> {
        self.state.servers.iter().map(|server| (server.variable.as_str(), server.url.as_str()))
    }

    /// Stops every server, then forgets them. What cannot be stopped stays remembered.
    pub(super) fn stop(self) -> Result<()> {
        for server in self.state.servers.iter().rev() {
            server
                .process
                .stop(&server.stop_signal)
                .with_context(|| format!("cannot stop {}", server.name))?;
            eprintln!("{}: stopped", server.name);
        }
        remove_folder(&self.state.folder)?;
        fs::remove_file(&self.file).with_context(|| format!("cannot remove {}", self.file.display()))
    }

    /// Starts one after the other; a failure stops those that were started before.
    fn start(file: PathBuf, owner: Option<Process>, servers: &[&dyn Server]) -> Result<Self> {
        let account = Account::choose()?;
        let mut set =
            Self { state: State { owner, folder: new_folder(account)?, servers: Vec::new() }, file };
        match set.start_all(servers, account) {
            Ok(()) => Ok(set),
            Err(error) => {
                set.stop()?;
                Err(error)
            }
        }
    }

    fn start_all(&mut self, servers: &[&dyn Server], account: Account) -> Result<()> {
        self.save()?;
        let bins: Vec<PathBuf> =
            servers.iter().map(|server| install::ensure(*server)).collect::<Result<_>>()?;
        for (server, bin) in servers.iter().zip(bins) {
            let running = launch::start(*server, &bin, &self.state.folder, account)?;
            eprintln!("{}: started from {}", running.name, bin.display());
            self.state.servers.push(running);
            self.save()?;
        }
        Ok(())
    }

    fn save(&self) -> Result<()> {
        let folder = self.file.parent().expect("a state file lies in a folder");
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        self.state.save(&self.file)
    }

    fn load(file: PathBuf) -> Result<Self> {
        Ok(Self { state: State::load(&file)?, file })
    }

    /// True for servers whose program was killed, and for remembered ones of which none runs any more.
    fn is_left_over(&self) -> bool {
        match &self.state.owner {
            Some(owner) => !owner.is_alive(),
            None => !self.state.servers.iter().any(|server| server.process.is_alive()),
        }
    }
}

/// Stops and forgets what nobody uses any more.
pub(super) fn sweep(repo: &Repo) -> Result<()> {
    for entry in fs::read_dir(states(repo)).into_iter().flatten() {
        let file = entry?.path();
        if file.extension().is_some_and(|extension| extension == "json") {
            let set = Set::load(file)?;
            if set.is_left_over() {
                set.stop()?;
            }
        }
    }
    Ok(())
}

fn states(repo: &Repo) -> PathBuf {
    repo.target().join("services")
}

fn new_folder(account: Account) -> Result<PathBuf> {
    let private = fs::Permissions::from_mode(0o700);
    let made = tempfile::Builder::new().prefix(FOLDER_PREFIX).permissions(private).tempdir();
    let folder = made.context("no temporary folder")?.keep();
    account.give(&folder)?;
    Ok(folder)
}

fn remove_folder(folder: &Path) -> Result<()> {
    let is_ours = folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with(FOLDER_PREFIX));
    if is_ours && folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::remove_folder;

    #[test]
    fn only_a_folder_of_this_program_is_removed() {
        let root = tempfile::tempdir().expect("a folder");
        for (name, stays) in [("queue-services-x", false), ("other", true)] {
            let folder = root.path().join(name);
            std::fs::create_dir(&folder).expect("a new folder");
            remove_folder(&folder).expect("it can be removed");
            assert_eq!(folder.exists(), stays, "{name}");
        }
    }
}
