//! `cargo xtask deps`: which crate may know which.
//!
//! The compiler accepts any graph without a cycle; the layers are narrower than that. They are read
//! from what the manifests ask for, not from what a build resolves. Which Rust the crates promise
//! is compared with what the lock file holds.

mod package;
mod rules;
mod rust_version;
mod table;

use anyhow::{Context, Result, bail};

use self::package::{Metadata, Package};
use self::rules::violations;
use crate::command;
use crate::repo::Repo;

/// Prints every violation, then fails if there was one.
pub(crate) fn run(repo: &Repo) -> Result<()> {
    let packages = packages(repo)?;
    let mut violations = violations(&packages);
    violations.extend(rust_version::violations(&locked(repo)?));
    for violation in &violations {
        println!("{violation}");
    }
    if !violations.is_empty() {
        bail!("dependencies that the layers, or the rust-version of a crate, forbid: {}", violations.len());
    }
    println!("{} crates depend only on what they may", packages.len());
    Ok(())
}

fn locked(repo: &Repo) -> Result<rust_version::Locked> {
    let arguments = ["metadata", "--locked", "--all-features", "--format-version", "1"];
    let json = command::output(&mut command::cargo(repo, &arguments))?;
    serde_json::from_slice(&json).context("cargo metadata has an unknown shape")
}

fn packages(repo: &Repo) -> Result<Vec<Package>> {
    let arguments = ["metadata", "--no-deps", "--format-version", "1"];
    let json = command::output(&mut command::cargo(repo, &arguments))?;
    let metadata: Metadata = serde_json::from_slice(&json).context("cargo metadata has an unknown shape")?;
    Ok(metadata.packages)
}
