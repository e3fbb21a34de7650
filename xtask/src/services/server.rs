//! What this program must know of a kind of server.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::account::Account;
use super::package::Package;

/// One kind of server, of one process or several. Paths called `bin` are the folder of its
/// programs.
pub(super) trait Server: Sync {
    /// The name people use.
    fn name(&self) -> &'static str;

    /// The environment variable that tells tests where it is.
    fn variable(&self) -> &'static str;

    /// The crate whose everyday tests use it. A server without one starts only when it is named.
    fn store(&self) -> Option<&'static str>;

    /// The name of a server that has to run before this one.
    fn needs(&self) -> Option<&'static str> {
        None
    }

    /// Where its programs come from if the machine has none.
    fn package(&self) -> Package;

    /// The folder of its programs, where the machine has them.
    fn find(&self) -> Option<PathBuf>;

    /// How many ports it listens on.
    fn ports(&self) -> usize {
        1
    }

    /// Writes what the processes read when they start.
    fn prepare(&self, bin: &Path, place: &Place) -> Result<()>;

    /// Its processes in the foreground: those that these start are the ones to stop.
    fn commands(&self, bin: &Path, place: &Place) -> Vec<Command>;

    /// True once every process answers, and each is the one started here: a stranger could hold the
    /// port.
    fn answers(&self, place: &Place) -> bool;

    /// Makes one server of processes that answer.
    fn join(&self, _place: &Place) -> Result<()> {
        Ok(())
    }

    /// True once clients are served; asked after `join`.
    fn is_ready(&self, _place: &Place) -> bool {
        true
    }

    fn url(&self, place: &Place) -> String;

    /// Ends a process without waiting for its clients.
    fn stop_signal(&self) -> &'static str;
}

/// Where one server lives and what protects it.
pub(super) struct Place {
    pub(super) folder: PathBuf,
    pub(super) ports: Vec<u16>,
    /// Letters and digits, so that it needs no quoting in a URL or a file.
    pub(super) password: String,
    pub(super) account: Account,
    pub(super) durability: Durability,
    /// Where the server is that this one needs.
    pub(super) needed_url: Option<String>,
}

impl Place {
    pub(super) fn port(&self) -> u16 {
        self.ports[0]
    }
}

/// What an answered write has survived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// Nothing: fast, for tests, whose data ends with the server.
    None,
    /// The loss of power, as far as the disk is honest: for measurements.
    Disk,
}

/// The first folder in which all programs are.
pub(super) fn folder_with(mut folders: impl Iterator<Item = PathBuf>, programs: &[&str]) -> Option<PathBuf> {
    folders.find(|folder| programs.iter().all(|program| folder.join(program).is_file()))
}

/// The folders of `PATH`, and the one of system programs, which users often lack.
pub(super) fn search_path() -> impl Iterator<Item = PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    folders.into_iter().chain(["/usr/sbin".into(), "/usr/local/sbin".into()])
}

/// A place for unit tests, in which nothing is ever started.
#[cfg(test)]
pub(super) fn sample_place(ports: &[u16]) -> Place {
    Place {
        folder: "/tmp/x y".into(),
        ports: ports.to_vec(),
        password: "abc".to_owned(),
        account: Account::Own,
        durability: Durability::None,
        needed_url: None,
    }
}

#[cfg(test)]
mod tests {
    use super::folder_with;
    use std::fs;

    #[test]
    fn a_folder_counts_only_with_all_programs() {
        let (half, full) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        for file in [half.path().join("a"), full.path().join("a"), full.path().join("b")] {
            fs::write(file, "").expect("an empty file");
        }
        let folders = || [half.path().to_owned(), full.path().to_owned()].into_iter();
        assert_eq!(folder_with(folders(), &["a", "b"]).as_deref(), Some(full.path()));
        assert_eq!(folder_with(folders(), &["a"]).as_deref(), Some(half.path()));
        assert_eq!(folder_with(folders(), &["c"]), None);
    }
}
