//! The crates as the registry receives them. `cargo xtask package` compiles each from its package;
//! here they are packed and unpacked.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use super::made::Made;
use crate::command;
use crate::metadata::published;
use crate::package::{self, Proof};
use crate::repo::Repo;

pub(super) fn make(repo: &Repo, scratch: &Path, made: &mut Made) -> Result<()> {
    package::run(repo, Proof::Packed)?;
    fs::create_dir_all(scratch)?;
    for package in published(repo)? {
        let folder = format!("{}-{}", package.name, package.version);
        let file = format!("{folder}.crate");
        let packed = repo.target().join("package").join(&file);
        command::run(Command::new("tar").arg("-xzf").arg(&packed).arg("-C").arg(scratch))?;
        let manifest = scratch.join(&folder).join("Cargo.toml");
        ensure!(manifest.is_file(), "{file} has no Cargo.toml in a folder of its name");
        made.copy(&packed, &format!("crates/{file}"), "unpacks; has manifest, licences and README")?;
    }
    made.not_proved("that each crate compiles from its package: `cargo xtask package` does that");
    Ok(())
}
