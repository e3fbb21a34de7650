//! Servers that are started and stopped together.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::account::Account;
use super::launch::Launch;
use super::process::Process;
use super::server::{Durability, Server};
use super::state::{Running, State};
use super::{disk, install, selection};
use crate::repo::Repo;

/// A folder is removed only if its name starts like this, whatever a state file says.
const FOLDER_PREFIX: &str = "queue-services-";
const UP: &str = "up.json";
const PROGRAMS: &str = "programs";

/// What to start, one after the other.
pub(super) struct Wanted {
    pub(super) servers: Vec<&'static dyn Server>,
    pub(super) durability: Durability,
}

/// A set that runs, with the file that remembers it.
pub(super) struct Set {
    file: PathBuf,
    state: State,
}

impl Set {
    /// Starts servers that outlive this program, once all of them are up.
    pub(super) fn start_to_stay(repo: &Repo, wanted: &Wanted) -> Result<Self> {
        let mut set = Self::start(repo, UP, wanted)?;
        set.state.owner = None;
        set.save()?;
        Ok(set)
    }

    /// Starts servers that are swept away once this program has ended.
    pub(super) fn start_for_this_process(repo: &Repo, wanted: &Wanted) -> Result<Self> {
        Self::start(repo, &format!("run-{}.json", std::process::id()), wanted)
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
            server.stop().with_context(|| format!("cannot stop {}", server.name))?;
            eprintln!("{}: stopped", server.name);
        }
        remove_folder(&self.state.folder)?;
        match fs::remove_file(&self.file) {
            Err(_) if !self.file.exists() => Ok(()),
            removed => removed.with_context(|| format!("cannot remove {}", self.file.display())),
        }
    }

    /// Starts one after the other; a failure stops those that were started before.
    fn start(repo: &Repo, file: &str, wanted: &Wanted) -> Result<Self> {
        let account = Account::choose()?;
        let owner = Process::of(std::process::id()).context("this process is not to be seen")?;
        let state = State { owner: Some(owner), folder: new_folder(account)?, servers: Vec::new() };
        let mut set = Self { file: states(repo).join(file), state };
        match set.start_all(wanted, account, &states(repo).join(PROGRAMS)) {
            Ok(()) => Ok(set),
            Err(error) => {
                set.stop()?;
                Err(error)
            }
        }
    }

    fn start_all(&mut self, wanted: &Wanted, account: Account, cache: &Path) -> Result<()> {
        self.save()?;
        if wanted.durability == Durability::Disk {
            disk::require(&self.state.folder)?;
        }
        let programs: Vec<_> =
            wanted.servers.iter().map(|server| install::ensure(*server, cache)).collect::<Result<_>>()?;
        for (server, programs) in wanted.servers.iter().zip(programs) {
            let copy = self.state.folder.join(format!("{}-programs", server.name()));
            let bin = programs.for_account(account, &copy)?;
            self.start_one(*server, &bin, account, wanted.durability)?;
        }
        Ok(())
    }

    fn start_one(
        &mut self,
        server: &dyn Server,
        bin: &Path,
        account: Account,
        durability: Durability,
    ) -> Result<()> {
        let needed_url = server.needs().map(|name| self.url_of(name)).transpose()?;
        let folder = &self.state.folder.clone();
        let launch = Launch { server, bin, folder, account, durability, needed_url };
        launch.start(&mut |running| {
            self.state.note(running);
            self.save()
        })?;
        eprintln!("{}: started from {}", server.name(), bin.display());
        Ok(())
    }

    /// Where a server is that another needs: in this set, or given by the environment.
    fn url_of(&self, name: &str) -> Result<String> {
        match self.state.servers.iter().find(|server| server.name == name) {
            Some(server) => Ok(server.url.clone()),
            None => selection::url_from_environment(name),
        }
    }

    fn save(&self) -> Result<()> {
        let folder = self.file.parent().expect("a state file lies in a folder");
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        self.state.save(&self.file)
    }

    fn load(file: PathBuf) -> Result<Self> {
        Ok(Self { state: State::load(&file)?, file })
    }

    /// True for servers whose program was killed, and for those that should have stayed up but have
    /// ended.
    fn is_left_over(&self) -> bool {
        match &self.state.owner {
            Some(owner) => !owner.is_alive(),
            None => !self.state.servers.iter().any(Running::is_alive),
        }
    }
}

/// Stops and forgets what nobody uses any more.
pub(super) fn sweep(repo: &Repo) -> Result<()> {
    sweep_folder(&states(repo))
}

/// Others may start, stop and sweep at the same time, so that a file may be gone by the time it is
/// looked at.
fn sweep_folder(states: &Path) -> Result<()> {
    for entry in fs::read_dir(states).into_iter().flatten() {
        let file = entry?.path();
        if file.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        match Set::load(file.clone()) {
            Err(_) if !file.exists() => {}
            Ok(set) if !set.is_left_over() => {}
            set => set?.stop()?,
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
    if !is_ours {
        return Ok(());
    }
    match fs::remove_dir_all(folder) {
        Err(_) if !folder.exists() => Ok(()),
        removed => removed.with_context(|| format!("cannot remove {}", folder.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::{Process, Running, Set, State, remove_folder, sweep_folder};
    use std::path::Path;
    use std::process::{Child, Command};

    fn sleeper() -> (Child, Process) {
        let child = Command::new("sleep").arg("600").spawn().expect("sleep starts");
        let process = Process::of(child.id()).expect("it runs");
        (child, process)
    }

    fn ended() -> Process {
        let (mut child, process) = sleeper();
        child.kill().and_then(|()| child.wait()).expect("it can be ended");
        process
    }

    fn running(process: Process) -> Running {
        let [name, variable, url] = ["redis", "URL", "redis://x"].map(str::to_owned);
        Running { name, variable, url, processes: vec![process], stop_signal: "TERM".to_owned() }
    }

    fn save(folder: &Path, owner: Option<Process>, servers: Vec<Running>) -> Set {
        let set =
            Set { file: folder.join("a.json"), state: State { owner, folder: folder.join("x"), servers } };
        set.save().expect("it can be saved");
        set
    }

    #[test]
    fn what_a_killed_program_left_is_stopped() {
        let root = tempfile::tempdir().expect("a folder");
        let (mut child, server) = sleeper();
        let set = save(root.path(), Some(ended()), vec![running(server.clone())]);
        sweep_folder(root.path()).expect("it can be swept");
        assert!(!server.is_alive() && !set.file.exists());
        child.wait().expect("it can be waited for");
    }

    #[test]
    fn what_is_in_use_or_is_being_started_stays() {
        let root = tempfile::tempdir().expect("a folder");
        let (mut child, alive) = sleeper();
        for (owner, servers) in [
            (Some(alive.clone()), vec![]),
            (Some(alive.clone()), vec![running(alive.clone())]),
            (None, vec![running(alive.clone())]),
        ] {
            let set = save(root.path(), owner, servers);
            sweep_folder(root.path()).expect("there is nothing to do");
            assert!(alive.is_alive() && set.file.exists(), "{:?}", set.state);
        }
        child.kill().and_then(|()| child.wait()).expect("it can be ended");
    }

    #[test]
    fn servers_that_have_ended_by_themselves_are_forgotten() {
        let root = tempfile::tempdir().expect("a folder");
        let set = save(root.path(), None, vec![running(ended())]);
        sweep_folder(root.path()).expect("it can be swept");
        assert!(!set.file.exists());
        set.stop().expect("somebody else may have swept before");
    }

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
