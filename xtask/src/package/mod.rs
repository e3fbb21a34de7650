//! `cargo xtask package`: what would go to the registry, without sending it.
//!
//! Cargo packs all crates together, so that those that are not in the registry yet find each other.

mod contents;

use anyhow::{Result, bail};

use self::contents::findings;
use crate::command;
use crate::published::published;
use crate::repo::Repo;

/// Whether each crate is also compiled from its package, alone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proof {
    Packed,
    Compiled,
}

/// Packs every crate into `target/package`, and looks whether it has what it needs.
pub(crate) fn run(repo: &Repo, proof: Proof) -> Result<()> {
    let crates = published(repo)?;
    let mut arguments = vec!["package", "--quiet", "--allow-dirty"];
    if proof == Proof::Packed {
        arguments.push("--no-verify");
    }
    arguments.extend(crates.iter().flat_map(|package| ["--package", package.name.as_str()]));
    command::run(&mut command::cargo(repo, &arguments))?;

    let mut found = 0;
    for package in &crates {
        for finding in findings(&files(repo, &package.name)?) {
            println!("{}: {finding}", package.name);
            found += 1;
        }
    }
    if found > 0 {
        bail!("packages that are not as they should be: {found} findings");
    }
    println!("{} crates are packed, version {}", crates.len(), crates[0].version);
    Ok(())
}

fn files(repo: &Repo, name: &str) -> Result<Vec<String>> {
    let list = ["package", "--quiet", "--allow-dirty", "--list", "--package", name];
    let listed = command::output(&mut command::cargo(repo, &list))?;
    Ok(String::from_utf8_lossy(&listed).lines().map(ToOwned::to_owned).collect())
}
