//! Packages of Debian, for a machine that is ours to change.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::command;

/// Debian asks this script whether a package may start its service.
const SERVICE_POLICY: &str = "/usr/sbin/policy-rc.d";
const REFUSE: &str = "#!/bin/sh\nexit 101\n";

/// True on Debian and systems of its kind.
pub(super) fn is_here() -> bool {
    is_like_debian(&fs::read_to_string("/etc/os-release").unwrap_or_default())
}

fn is_like_debian(release: &str) -> bool {
    let mut values = release
        .lines()
        .filter_map(|line| line.split_once('='))
        .filter(|(key, _)| matches!(*key, "ID" | "ID_LIKE"));
    values
        .any(|(_, value)| value.trim_matches('"').split(' ').any(|word| matches!(word, "debian" | "ubuntu")))
}

/// Installs with every service refused: a system server on a fixed port is not ours to start.
pub(crate) fn install(packages: &[&str]) -> Result<()> {
    let _refusal = Refusal::put(Path::new(SERVICE_POLICY))?;
    apt_get(&["update", "-qq"])?;
    apt_get(&[&["install", "-qq", "-y", "--no-install-recommends"], packages].concat())
}

fn apt_get(arguments: &[&str]) -> Result<()> {
    command::run(Command::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
}

/// A policy that refuses services, taken away again when dropped. One that stands there already is
/// kept.
struct Refusal {
    written: Option<PathBuf>,
}

impl Refusal {
    fn put(path: &Path) -> Result<Self> {
        if path.exists() {
            return Ok(Self { written: None });
        }
        fs::write(path, REFUSE)
            .and_then(|()| fs::set_permissions(path, fs::Permissions::from_mode(0o755)))
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { written: Some(path.to_owned()) })
    }
}

impl Drop for Refusal {
    fn drop(&mut self) {
        if let Some(path) = &self.written {
            drop(fs::remove_file(path));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Refusal, is_like_debian};
    use std::fs;

    #[test]
    fn systems_of_debians_kind_are_recognised() {
        assert!(is_like_debian("NAME=x\nID=debian\n"));
        assert!(is_like_debian("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"));
        assert!(!is_like_debian("ID=fedora\nHOME_URL=\"debian\"\n"));
        assert!(!is_like_debian(""));
    }

    #[test]
    fn a_refusal_is_taken_away_again_and_a_policy_of_the_machine_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("policy");
        let refusal = Refusal::put(&path).expect("it can be written");
        assert!(path.exists());
        drop(refusal);
        assert!(!path.exists());
        fs::write(&path, "mine").expect("a policy");
        drop(Refusal::put(&path).expect("nothing to write"));
        assert_eq!(fs::read_to_string(&path).expect("it is still there"), "mine");
    }
}
