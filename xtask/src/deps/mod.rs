//! `cargo xtask deps`: which crate may know which.
//!
//! The compiler accepts any graph without a cycle; the layers are narrower than that. They are read
//! from what the manifests ask for, not from what a build resolves. Which Rust the crates promise
//! is compared with what the lock file holds.

mod rules;
mod rust_version;
mod table;

use anyhow::{Result, bail};

use crate::metadata::Metadata;
use crate::repo::Repo;

/// Prints every violation, then fails if there was one.
pub(crate) fn run(repo: &Repo) -> Result<()> {
    let packages = Metadata::of_members(repo)?.packages;
    let mut violations = rules::violations(&packages);
    violations.extend(rust_version::violations(&Metadata::locked(repo)?));
    for violation in &violations {
        println!("{violation}");
    }
    if !violations.is_empty() {
        bail!("dependencies that the layers, or the rust-version of a crate, forbid: {}", violations.len());
    }
    println!("{} crates depend only on what they may", packages.len());
    Ok(())
}
