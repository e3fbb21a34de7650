//! Folders of one run. They go away with it; folders of runs that were killed go when the next one
//! begins.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result};
use tempfile::TempDir;

/// Locked as long as the folder is in use.
const IN_USE: &str = "in-use";

/// A folder, and the lock that says that it is in use.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: TempDir,
    _in_use: File,
}

impl Scratch {
    /// A folder whose name begins with the prefix, and which no other account can list.
    pub(crate) fn new(parent: &Path, prefix: &str, mode: u32) -> Result<Self> {
        remove_abandoned(parent, prefix);
        let permissions = Permissions::from_mode(mode);
        let folder = tempfile::Builder::new().prefix(prefix).permissions(permissions).tempdir_in(parent);
        let folder = folder.with_context(|| format!("no temporary folder in {}", parent.display()))?;
        let in_use = File::create(folder.path().join(IN_USE)).context("no room for a lock")?;
        in_use.lock().context("a lock of our own is taken")?;
        Ok(Self { folder, _in_use: in_use })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// A folder that cannot be removed belongs to another user.
fn remove_abandoned(folders: &Path, prefix: &str) {
    for entry in fs::read_dir(folders).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(prefix);
        let lock = File::open(entry.path().join(IN_USE));
        if is_ours && lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
            drop(fs::remove_dir_all(entry.path()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{IN_USE, Scratch};
    use std::fs::{self, File};

    #[test]
    fn only_a_folder_of_ours_that_nobody_uses_is_removed() {
        let root = tempfile::tempdir().expect("a folder");
        let make = |name: &str| {
            fs::create_dir(root.path().join(name)).expect("a new folder");
            File::create(root.path().join(name).join(IN_USE)).expect("a lock")
        };
        drop([make("ours-left"), make("other")]);
        let used = Scratch::new(root.path(), "ours-", 0o700).expect("room");
        let second = Scratch::new(root.path(), "ours-", 0o700).expect("room");
        assert!(used.path().is_dir() && second.path().is_dir());
        drop(second);
        let mut names: Vec<_> = fs::read_dir(root.path())
            .expect("the folder")
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("plain"))
            .collect();
        names.sort();
        let used = used.path().file_name().and_then(|name| name.to_str()).expect("plain");
        assert_eq!(names, ["other", used]);
    }
}
