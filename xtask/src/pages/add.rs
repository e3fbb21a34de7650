//! A `cargo add` of a page, as it is run: with the packed crate in the place of one that is not in
//! the registry yet, and else with the versions that the lock file of this workspace has, so that a
//! new release of somebody's changes no result.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Result, bail, ensure};

/// Options that take a value.
const WITH_VALUE: [&str; 3] = ["--features", "-F", "--rename"];

/// Where packages come from.
pub(super) struct Origins {
    /// The packed crates of this workspace.
    pub(super) packed: BTreeMap<String, PathBuf>,
    /// The newest version of each crate in the lock file.
    pub(super) locked: BTreeMap<String, String>,
}

impl Origins {
    /// The arguments of the `cargo add` that is run for one that a page names.
    pub(super) fn arguments(&self, named: &str) -> Result<Vec<String>> {
        let (mut options, mut packages, mut paths) = (Vec::new(), Vec::new(), Vec::new());
        let mut words = named.split_whitespace();
        while let Some(word) = words.next() {
            if word == "--path" {
                words.next(); // where a reader's clone is
            } else if word.starts_with('-') {
                options.push(word.to_owned());
                let value = if WITH_VALUE.contains(&word) { words.next() } else { None };
                options.extend(value.map(str::to_owned));
            } else if let Some(path) = self.packed.get(word) {
                paths.extend(["--path".to_owned(), path.display().to_string()]);
            } else {
                packages.push(self.pinned(word));
            }
        }
        ensure!(paths.len() + packages.len() > 0, "`cargo add {named}` names no package");
        if paths.len() > 2 || (!paths.is_empty() && !packages.is_empty()) {
            bail!("`cargo add {named}`: a package of this workspace wants a line of its own");
        }
        Ok([options, paths, packages].concat())
    }

    fn pinned(&self, package: &str) -> String {
        match self.locked.get(package) {
            Some(version) => format!("{package}@{version}"),
            None => package.to_owned(),
        }
    }
}

/// The newest version of each package in a lock file, which has them in ascending order.
pub(super) fn locked(lock_file: &str) -> BTreeMap<String, String> {
    let value = |line: &str, key| Some(line.strip_prefix(key)?.trim_matches('"').to_owned());
    let mut lines = lock_file.lines();
    let mut versions = BTreeMap::new();
    while let Some(line) = lines.next() {
        if let Some(name) = value(line, "name = ")
            && let Some(version) = lines.next().and_then(|line| value(line, "version = "))
        {
            versions.insert(name, version);
        }
    }
    versions
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origins() -> Origins {
        let packed = [("ours".to_owned(), PathBuf::from("/p/ours"))].into();
        let lock_file = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"a\"\nversion = \"2.1.0\"\n";
        Origins { packed, locked: locked(lock_file) }
    }

    #[test]
    fn crates_of_ours_are_the_packed_ones_and_others_are_as_locked() {
        let run = |named| origins().arguments(named).expect("it can be run").join(" ");
        assert_eq!(run("ours --features x"), "--features x --path /p/ours");
        assert_eq!(run("--dev ours -F x"), "--dev -F x --path /p/ours");
        assert_eq!(run("ours --path ../clone/ours"), "--path /p/ours");
        assert_eq!(run("a b --no-default-features"), "--no-default-features a@2.1.0 b");
        assert_eq!(run("a@1"), "a@1");
    }

    #[test]
    fn what_cargo_could_not_do_is_refused() {
        for named in ["", "--dev", "ours a", "ours ours"] {
            assert!(origins().arguments(named).is_err(), "{named:?}");
        }
    }
}
