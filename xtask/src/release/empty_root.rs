//! A root directory that has a shell and the libraries that programs load, and nothing else of this
//! machine: no configuration, no certificates, no time zones, no other program.
//!
//! Where this machine lets no program change its root, programs run in that directory with an empty
//! environment instead, and a line says so.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::binary::Queue;
use super::linkage::libraries;

/// `queue work` runs its commands by it.
const SHELL: &str = "/bin/sh";
/// Where `chroot`, `unshare` and, within the root, the shell are.
const PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin";
/// What programs may write to, with any user.
const WRITABLE: [&str; 3] = ["jobs", "tmp", "etc/queue"];

/// How a program is kept inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Isolation {
    Chroot,
    /// As `chroot`, without being root.
    Namespace,
    /// By its environment and its directory alone.
    Environment,
}

/// The directory, and how programs get into it.
pub(super) struct EmptyRoot {
    path: PathBuf,
    isolation: Isolation,
}

impl EmptyRoot {
    /// Makes it, with what the binary loads.
    pub(super) fn new(path: PathBuf, queue: &Queue) -> Result<Self> {
        for folder in WRITABLE.iter().chain(&["dev", "bin"]) {
            fs::create_dir_all(path.join(folder)).with_context(|| format!("no room for {folder}"))?;
        }
        for folder in WRITABLE {
            fs::set_permissions(path.join(folder), Permissions::from_mode(0o1777))?;
        }
        // Programs open it in place of streams that they do without. Only root makes devices, and a
        // file that is empty does as well.
        fs::write(path.join("dev/null"), "")?;
        fs::set_permissions(path.join("dev/null"), Permissions::from_mode(0o666))?;
        let mut root = Self { path, isolation: Isolation::Environment };
        root.install(Path::new(SHELL), &SHELL[1..])?;
        for library in libraries(Path::new(SHELL)).iter().chain(&libraries(&queue.path)) {
            let name = library.to_string_lossy();
            root.install(library, name.trim_start_matches('/'))?;
        }
        root.isolation = root.strictest();
        Ok(root)
    }

    /// Copies a file to a path below the root, and returns this path.
    pub(super) fn install(&self, from: &Path, to: &str) -> Result<PathBuf> {
        let place = self.path.join(to);
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::copy(from, place).with_context(|| format!("cannot copy {}", from.display()))?;
        Ok(Path::new("/").join(to))
    }

    /// A program of the root, at a path within it, in an empty environment.
    pub(super) fn command(&self, program: &Path) -> Command {
        self.command_by(self.isolation, None, program)
    }

    /// The same as this user, such as `10001:10001`, if this machine lets that happen.
    pub(super) fn command_as(&self, user: &str, program: &Path) -> Command {
        self.command_by(self.isolation, Some(user), program)
    }

    fn command_by(&self, isolation: Isolation, user: Option<&str>, program: &Path) -> Command {
        let mut command = match isolation {
            Isolation::Chroot => Command::new("chroot"),
            Isolation::Namespace => Command::new("unshare"),
            Isolation::Environment => {
                Command::new(self.path.join(program.strip_prefix("/").unwrap_or(program)))
            }
        };
        match isolation {
            Isolation::Chroot => {
                command.args(user.map(|user| format!("--userspec={user}"))).arg(&self.path).arg(program);
            }
            Isolation::Namespace => {
                command.arg("--map-root-user").arg("--root").arg(&self.path).args(["--wd", "/"]).arg(program);
            }
            Isolation::Environment => {}
        }
        command.env_clear().env("PATH", PATH).current_dir(&self.path);
        command
    }

    fn strictest(&self) -> Isolation {
        let is_possible = |isolation: &Isolation| {
            let mut shell = self.command_by(*isolation, None, Path::new(SHELL));
            shell.args(["-c", "exit 7"]).output().is_ok_and(|output| output.status.code() == Some(7))
        };
        let strict = [Isolation::Chroot, Isolation::Namespace].into_iter().find(is_possible);
        strict.unwrap_or(Isolation::Environment)
    }

    /// Where programs run, in words.
    pub(super) fn place(&self) -> &'static str {
        match self.isolation {
            Isolation::Chroot | Isolation::Namespace => "in an empty root",
            Isolation::Environment => "in an empty directory and environment",
        }
    }

    /// What the proofs lack because of this machine.
    pub(super) fn lack(&self) -> Option<&'static str> {
        let is_weak = self.isolation == Isolation::Environment;
        is_weak.then_some(
            "that the binary runs without the files of this machine: neither chroot nor unshare changes \
             the root here",
        )
    }

    /// Whether programs can run as another user.
    pub(super) fn has_users(&self) -> bool {
        self.isolation == Isolation::Chroot
    }
}
