//! `cargo xtask package`: what would go to the registry, without sending it.
//!
//! Cargo packs all crates together, so that those that are not in the registry yet find each other.

use anyhow::{Result, bail};

use crate::command;
use crate::metadata::published;
use crate::repo::Repo;

const REQUIRED: [&str; 4] = ["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];
/// They need crates that the package does not know.
const UNWANTED: &str = "tests/";

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

/// What is wrong with the files of a package.
fn findings(files: &[String]) -> Vec<String> {
    let has = |name: &str| files.iter().any(|file| file == name);
    let missing = REQUIRED.iter().filter(|name| !has(name)).map(|name| format!("{name} is missing"));
    let unwanted = files.iter().filter(|file| file.starts_with(UNWANTED));
    missing.chain(unwanted.map(|file| format!("{file} does not belong into a package"))).collect()
}

#[cfg(test)]
mod tests {
    use super::{REQUIRED, findings};

    fn with(more: &[&str]) -> Vec<String> {
        REQUIRED.iter().chain(more).map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_complete_package_passes() {
        assert!(findings(&with(&["src/lib.rs"])).is_empty());
    }

    #[test]
    fn each_missing_file_and_each_test_is_found() {
        for at in 0..REQUIRED.len() {
            let mut files = with(&[]);
            let missing = files.remove(at);
            assert_eq!(findings(&files), [format!("{missing} is missing")]);
        }
        assert_eq!(findings(&with(&["tests/it.rs"])).len(), 1);
    }
}
