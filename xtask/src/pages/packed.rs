//! The crates of this workspace as their users get them.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::command;
use crate::metadata::published;
use crate::package::{self, Proof};
use crate::repo::Repo;

/// Packs every crate, unless they are packed, and unpacks it below `target`; answers where each is. Files are as old as
/// their unpacking, not as in the archive, or cargo would not see that they changed.
pub(super) fn crates(repo: &Repo, are_packed: bool) -> Result<BTreeMap<String, PathBuf>> {
    if !are_packed {
        package::run(repo, Proof::Packed)?;
    }
    let to = repo.target().join("pages/crates");
    let _absent = fs::remove_dir_all(&to);
    fs::create_dir_all(&to).with_context(|| format!("cannot make {}", to.display()))?;
    let mut crates = BTreeMap::new();
    for package in published(repo)? {
        let name = format!("{}-{}", package.name, package.version);
        let archive = repo.target().join("package").join(format!("{name}.crate"));
        command::run(Command::new("tar").arg("-xmzf").arg(archive).arg("-C").arg(&to))?;
        crates.insert(package.name, to.join(name));
    }
    Ok(crates)
}
