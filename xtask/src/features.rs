//! `cargo xtask features`: every set of features that an application may choose compiles without a
//! warning.
//!
//! Features only add, so that what breaks a set is nearly always one feature, or two together: sets
//! of up to two are tried, and all. The names come from the manifests; a new feature needs no line
//! here.
//!
//! Cargo chooses the features of dependencies for each call, and so compiles most of them for each
//! crate. To look only at what crates hide behind their features, one call takes many crates.

use std::collections::BTreeSet;

use anyhow::{Result, bail, ensure};
use clap::ValueEnum;

use crate::artifacts::{TOLD, artifacts};
use crate::command;
use crate::metadata::{Package, published};
use crate::repo::Repo;

/// Features that stand for others.
const NAMES_OF_SETS: [&str; 2] = ["default", "full"];

/// How much is tried.
#[derive(Clone, Copy, ValueEnum, PartialEq, Eq)]
pub(crate) enum Depth {
    /// No feature, many crates in a call: `verify` does so, and clippy compiles all features
    Zero,
    /// Each crate by itself, with no feature, each alone, and all
    One,
    /// And every pair
    Two,
}

/// Tries every set of all crates. Fails at the end if one did not compile.
pub(crate) fn run(repo: &Repo, depth: Depth) -> Result<()> {
    if depth == Depth::Zero {
        return without(repo);
    }
    let (mut tried, mut failed) = (0, Vec::new());
    for package in published(repo)? {
        for set in sets(&names(&package), depth) {
            let shown = format!("{}: {}", package.name, if set.is_empty() { "no feature" } else { &set });
            println!("{shown}");
            tried += 1;
            if lint(repo, &[&package.name], &set).is_err() {
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

fn names(package: &Package) -> Vec<&str> {
    package.features.keys().map(String::as_str).collect()
}

/// As cargo takes them, each once. None for a crate without features: the other checks compile it.
fn sets(names: &[&str], depth: Depth) -> Vec<String> {
    let features: Vec<&str> = names.iter().copied().filter(|name| !NAMES_OF_SETS.contains(name)).collect();
    if features.is_empty() {
        return Vec::new();
    }
    let mut sets = vec![String::new()];
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

/// Compiles every crate that has features without its own. A crate that another one of the call
/// needs with a feature has it then, so it gets another call, without the crates that are through.
fn without(repo: &Repo) -> Result<()> {
    let crates = published(repo)?;
    let mut left: Vec<&Package> =
        crates.iter().filter(|each| !sets(&names(each), Depth::One).is_empty()).collect();
    while !left.is_empty() {
        let called: Vec<&str> = left.iter().map(|each| each.name.as_str()).collect();
        println!("no feature: {}", called.join(", "));
        let bare = without_features(&lint(repo, &called, "")?)?;
        left.retain(|each| !bare.contains(&each.id));
        ensure!(
            left.len() < called.len(),
            "each of them needs another one with a feature: {}",
            called.join(", ")
        );
    }
    Ok(())
}

/// The ids of packages that were compiled with none of their features.
fn without_features(told: &[u8]) -> Result<BTreeSet<String>> {
    let mut compiled = artifacts(told)?;
    compiled.retain(|artifact| !artifact.target.name.is_empty() && artifact.features.is_empty());
    Ok(compiled.into_iter().map(|artifact| artifact.package_id).collect())
}

/// Clippy stands for the compiler, since it can refuse warnings without compiling the dependencies
/// again. What cargo says of its build is returned.
fn lint(repo: &Repo, packages: &[&str], features: &str) -> Result<Vec<u8>> {
    let mut arguments = vec!["clippy", "--quiet", "--no-deps", "--lib", TOLD];
    arguments.extend(packages.iter().flat_map(|name| ["--package", name]));
    arguments.extend(["--no-default-features", "--features", features, "--", "-D", "warnings"]);
    command::output(&mut command::cargo(repo, &arguments))
}

#[cfg(test)]
mod tests {
    use super::{Depth, sets, without_features};

    #[test]
    fn each_alone_and_each_pair_once_and_all() {
        let expected = ["", "a", "b", "c", "a,b", "a,c", "b,c", "a,b,c"];
        assert_eq!(sets(&["a", "b", "c", "default", "full"], Depth::Two), expected);
        assert_eq!(sets(&["a", "b", "c"], Depth::One), ["", "a", "b", "c", "a,b,c"]);
        assert_eq!(sets(&["a", "b"], Depth::Two), ["", "a", "b", "a,b"]);
        assert_eq!(sets(&["a"], Depth::Two), ["", "a"]);
        assert!(sets(&["default"], Depth::Two).is_empty());
    }
    #[test]
    fn a_crate_that_another_one_needs_with_a_feature_is_not_through() {
        let told = concat!(
            r#"{"reason":"compiler-artifact","package_id":"a","target":{"name":"a"},"features":[]}"#,
            r#"{"reason":"compiler-artifact","package_id":"b","target":{"name":"b"},"features":["tls"]}"#,
            r#"{"reason":"build-script-executed","package_id":"c"}"#,
        );
        let bare = without_features(told.as_bytes()).expect("as cargo tells it");
        assert_eq!(bare.into_iter().collect::<Vec<_>>(), ["a"]);
    }
}
