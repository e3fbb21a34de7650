//! Who a server runs as. Postgres refuses to run as root, and no test server needs to.

use std::fs::{DirBuilder, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::command;

/// The unprivileged account that every Unix has.
const UNPRIVILEGED: &str = "nobody";

/// The caller's own account, or, for root, one that may do less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Account {
    Own,
    Other { user: u32, group: u32 },
}

impl Account {
    pub(super) fn choose() -> Result<Self> {
        if !is_root()? {
            return Ok(Self::Own);
        }
        Ok(Self::Other { user: id(&["-u", UNPRIVILEGED])?, group: id(&["-g", UNPRIVILEGED])? })
    }

    /// Lets the command run as this account. Root's further groups are dropped by the standard
    /// library.
    pub(super) fn apply(self, command: &mut Command) {
        if let Self::Other { user, group } = self {
            command.uid(user).gid(group);
        }
    }

    pub(super) fn give(self, path: &Path) -> Result<()> {
        match self {
            Self::Own => Ok(()),
            Self::Other { user, group } => chown(path, Some(user), Some(group))
                .with_context(|| format!("cannot give away {}", path.display())),
        }
    }

    /// A new folder that no other account can read.
    pub(super) fn create_folder(self, path: &Path) -> Result<()> {
        let made = DirBuilder::new().mode(0o700).create(path);
        made.with_context(|| format!("cannot create {}", path.display()))?;
        self.give(path)
    }

    /// A new file that no other account can read, with its folder.
    pub(super) fn write(self, path: &Path, text: &str) -> Result<()> {
        let folder = path.parent().context("a file lies in a folder")?;
        if !folder.is_dir() {
            self.create_folder(folder)?;
        }
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
        file.and_then(|mut file| file.write_all(text.as_bytes()))
            .with_context(|| format!("cannot write {}", path.display()))?;
        self.give(path)
    }
}

pub(super) fn is_root() -> Result<bool> {
    Ok(id(&["-u"])? == 0)
}

fn id(arguments: &[&str]) -> Result<u32> {
    let text = String::from_utf8(command::output(Command::new("id").args(arguments))?)?;
    text.trim().parse().with_context(|| format!("`id` answered {text:?}"))
}

#[cfg(test)]
mod tests {
    use super::Account;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn no_server_runs_as_root() {
        let account = Account::choose().expect("id works");
        assert!(!matches!(account, Account::Other { user: 0, .. }), "{account:?}");
    }

    #[test]
    fn folders_and_files_are_private() {
        let root = tempfile::tempdir().expect("a folder");
        let file = root.path().join("folder/file");
        Account::Own.write(&file, "secret").expect("a new file");
        let mode = |path| fs::metadata(path).expect("it exists").permissions().mode() & 0o777;
        assert_eq!((mode(root.path().join("folder")), mode(file)), (0o700, 0o600));
    }
}
