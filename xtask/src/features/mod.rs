//! `cargo xtask features`: every set of features that an application may choose compiles without a
//! warning.
//!
//! Features only add, so that what breaks a set is nearly always one feature, or two together: sets
//! of up to two are tried, and all. The names come from the manifests; a new feature needs no line
//! here.

mod sets;

use anyhow::{Result, bail};
use clap::ValueEnum;

use self::sets::{Set, sets};
use crate::command;
use crate::published::{Published, published};
use crate::repo::Repo;

/// How much is tried.
#[derive(Clone, Copy, ValueEnum, PartialEq, Eq)]
pub(crate) enum Depth {
    /// No feature, each alone, and all: what `verify` does
    One,
    /// And every pair
    Two,
}

/// Tries every set, then fails if one did not compile.
pub(crate) fn run(repo: &Repo, depth: Depth) -> Result<()> {
    let mut failed = Vec::new();
    let mut tried = 0;
    for package in published(repo)? {
        for set in sets(&package, depth) {
            tried += 1;
            println!("{}: {set}", package.name);
            if compile(repo, &package, &set).is_err() {
                failed.push(format!("{}: {set}", package.name));
            }
        }
    }
    if !failed.is_empty() {
        bail!("sets of features that do not compile, or with warnings:\n{}", failed.join("\n"));
    }
    println!("{tried} sets of features compile");
    Ok(())
}

/// Clippy stands for the compiler, since it can be told to refuse warnings without compiling the
/// dependencies anew.
fn compile(repo: &Repo, package: &Published, set: &Set) -> Result<()> {
    let features = set.argument();
    let which = ["clippy", "--quiet", "--no-deps", "--lib", "--package", &package.name];
    let what = ["--no-default-features", "--features", &features, "--", "-D", "warnings"];
    command::run(&mut command::cargo(repo, &[which.as_slice(), what.as_slice()].concat()))
}
