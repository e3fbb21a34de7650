//! `cargo xtask features`: every set of features that an application may choose compiles without a
//! warning.
//!
//! Features only add, so that what breaks a set is nearly always one feature, or two together: sets
//! of up to two are tried, and all. The names come from the manifests; a new feature needs no line
//! here.

use anyhow::{Result, bail};
use clap::ValueEnum;

use crate::command;
use crate::metadata::published;
use crate::repo::Repo;

/// Features that stand for others.
const NAMES_OF_SETS: [&str; 2] = ["default", "full"];

/// How much is tried.
#[derive(Clone, Copy, ValueEnum, PartialEq, Eq)]
pub(crate) enum Depth {
    /// No feature: `verify` does so, and clippy compiles all features
    Zero,
    /// And each alone, and all
    One,
    /// And every pair
    Two,
}

/// Tries every set of all crates. Fails at the end if one did not compile.
pub(crate) fn run(repo: &Repo, depth: Depth) -> Result<()> {
    let (mut tried, mut failed) = (0, Vec::new());
    for package in published(repo)? {
        let names: Vec<&str> = package.features.keys().map(String::as_str).collect();
        for set in sets(&names, depth) {
            let shown = format!("{}: {}", package.name, if set.is_empty() { "no feature" } else { &set });
            println!("{shown}");
            tried += 1;
            if compile(repo, &package.name, &set).is_err() {
                failed.push(shown);
            }
        }
    }
    if !failed.is_empty() {
        bail!("sets of features that do not compile, or with warnings:\n{}", failed.join("\n"));
    }
    println!("{tried} sets of features compile");
    Ok(())
}

/// As cargo takes them, each once. None for a crate without features: the other checks compile it.
fn sets(names: &[&str], depth: Depth) -> Vec<String> {
    let features: Vec<&str> = names.iter().copied().filter(|name| !NAMES_OF_SETS.contains(name)).collect();
    if features.is_empty() {
        return Vec::new();
    }
    let mut sets = vec![String::new()];
    if depth == Depth::Zero {
        return sets;
    }
    sets.extend(features.iter().map(|&feature| feature.to_owned()));
    if depth == Depth::Two {
        for (at, first) in features.iter().enumerate() {
            sets.extend(features[at + 1..].iter().map(|second| format!("{first},{second}")));
        }
    }
    sets.push(features.join(","));
    sets.dedup();
    sets
}

/// Clippy stands for the compiler, since it can refuse warnings without compiling the dependencies
/// again.
fn compile(repo: &Repo, package: &str, features: &str) -> Result<()> {
    let which = ["clippy", "--quiet", "--no-deps", "--lib", "--package", package];
    let what = ["--no-default-features", "--features", features, "--", "-D", "warnings"];
    command::run(&mut command::cargo(repo, &[which.as_slice(), what.as_slice()].concat()))
}

#[cfg(test)]
mod tests {
    use super::{Depth, sets};

    #[test]
    fn each_alone_and_each_pair_once_and_all() {
        let expected = ["", "a", "b", "c", "a,b", "a,c", "b,c", "a,b,c"];
        assert_eq!(sets(&["a", "b", "c", "default", "full"], Depth::Two), expected);
        assert_eq!(sets(&["a", "b", "c"], Depth::Zero), [""]);
        assert_eq!(sets(&["a", "b", "c"], Depth::One), ["", "a", "b", "c", "a,b,c"]);
        assert_eq!(sets(&["a", "b"], Depth::Two), ["", "a", "b", "a,b"]);
        assert_eq!(sets(&["a"], Depth::Two), ["", "a"]);
        assert!(sets(&["default"], Depth::Two).is_empty());
    }
}
