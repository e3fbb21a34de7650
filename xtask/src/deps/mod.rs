//! `cargo xtask deps`: which crate may know which.
//!
//! The compiler accepts any graph without a cycle; the layers are narrower than that. This check reads what
//! the manifests ask for, not what a build resolves, so it does not depend on features or on a lock file.

mod package;
mod rules;
mod table;

use anyhow::{Context, Result, bail};

use self::package::{Metadata, Package};
use self::rules::violations;
use crate::command;
use crate::repo::Repo;

/// Prints every violation, then fails if there was one.
pub(crate) fn run(repo: &Repo) -> Result<()> {
    let packages = packages(repo)?;
    let violations = violations(&packages);
    for violation in &violations {
        println!("{violation}");
    }
    if !violations.is_empty() {
        bail!("dependencies that the layers forbid: {}", violations.len());
    }
    println!("{} crates depend only on what they may", packages.len());
    Ok(())
}

fn packages(repo: &Repo) -> Result<Vec<Package>> {
    let arguments = ["metadata", "--no-deps", "--format-version", "1"];
    let json = command::output(&mut command::cargo(repo, &arguments))?;
    let metadata: Metadata = serde_json::from_slice(&json).context("cargo metadata has an unknown shape")?;
    Ok(metadata.packages)
}
