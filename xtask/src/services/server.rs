//! What this program must know of a kind of server.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::account::Account;

/// One kind of server. Paths called `bin` are the folder that `find` answered.
pub(super) trait Server: Sync {
    /// The name people use; `queue-NAME` is the crate of its store.
    fn name(&self) -> &'static str;

    /// The environment variable that tells tests where it is.
    fn variable(&self) -> &'static str;

    /// The package of Debian that has it.
    fn package(&self) -> &'static str;

    /// The folder of its programs, where they are installed.
    fn find(&self) -> Option<PathBuf>;

    /// Writes what the server reads when it starts.
    fn prepare(&self, bin: &Path, place: &Place) -> Result<()>;

    /// The server in the foreground: the process that this starts is the one to stop.
    fn command(&self, bin: &Path, place: &Place) -> Command;

    /// True once clients are served, and by this very server: another could hold the port.
    fn is_ready(&self, place: &Place) -> bool;

    fn url(&self, place: &Place) -> String;

    /// Ends it without waiting for its clients.
    fn stop_signal(&self) -> &'static str;
}

/// Where one server lives and what protects it.
pub(super) struct Place {
    pub(super) folder: PathBuf,
    pub(super) port: u16,
    /// Letters and digits, so that it needs no quoting in a URL or a file.
    pub(super) password: String,
    pub(super) account: Account,
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
