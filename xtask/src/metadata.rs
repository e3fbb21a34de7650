//! The crates of this workspace, and what they bring, as `cargo metadata` shows them.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::command;
use crate::repo::Repo;

/// The part of it that is read here.
#[derive(Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    #[serde(default)]
    pub(crate) workspace_members: Vec<String>,
    /// Nothing where only members were asked for.
    #[serde(default)]
    pub(crate) resolve: Option<Resolve>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) rust_version: Option<String>,
    pub(crate) dependencies: Vec<Dependency>,
    /// Each feature, and what it switches on.
    pub(crate) features: BTreeMap<String, Vec<String>>,
    targets: Vec<Target>,
    /// Nothing for a crate that goes to any registry, and an empty list for one that goes to none.
    publish: Option<Vec<String>>,
}

/// A line of a manifest.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Dependency {
    /// The package's own name, also where the manifest renames it.
    pub(crate) name: String,
    pub(crate) rename: Option<String>,
    pub(crate) optional: bool,
    kind: Option<String>,
}

/// What is built of a package.
#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

#[derive(Deserialize)]
pub(crate) struct Resolve {
    pub(crate) nodes: Vec<Node>,
}

#[derive(Deserialize)]
pub(crate) struct Node {
    pub(crate) id: String,
    pub(crate) deps: Vec<Edge>,
}

#[derive(Deserialize)]
pub(crate) struct Edge {
    pub(crate) pkg: String,
    dep_kinds: Vec<DepKind>,
}

#[derive(Deserialize)]
struct DepKind {
    kind: Option<String>,
}

impl Metadata {
    /// The members of this workspace.
    pub(crate) fn of_members(repo: &Repo) -> Result<Self> {
        Self::read(repo, &["--no-deps"])
    }

    /// With everything that the lock file holds.
    pub(crate) fn locked(repo: &Repo) -> Result<Self> {
        Self::read(repo, &["--locked", "--all-features"])
    }

    fn read(repo: &Repo, options: &[&str]) -> Result<Self> {
        let arguments = [&["metadata", "--format-version", "1"], options].concat();
        let json = command::output(&mut command::cargo(repo, &arguments))?;
        serde_json::from_slice(&json).context("cargo metadata has an unknown shape")
    }
}

/// The crates that go to the registry, in the order of their names.
pub(crate) fn published(repo: &Repo) -> Result<Vec<Package>> {
    let mut crates = Metadata::of_members(repo)?.packages;
    crates.retain(|package| package.publish.is_none());
    crates.sort_by(|a, b| a.name.cmp(&b.name));
    ensure!(!crates.is_empty(), "no crate of this workspace is published");
    Ok(crates)
}

impl Package {
    /// The name by which programs know it, which need not be the package's.
    pub(crate) fn library(&self) -> &str {
        let library = self.targets.iter().find(|target| target.kind.iter().any(|kind| kind == "lib"));
        library.map_or(&self.name, |target| &target.name)
    }
}

impl Dependency {
    /// True for what users of the crate get; false for what only its own tests see.
    pub(crate) fn is_shipped(&self) -> bool {
        self.kind.as_deref() != Some("dev")
    }

    #[cfg(test)]
    pub(crate) fn of(name: &str, kind: Option<&str>) -> Self {
        Self { name: name.to_owned(), kind: kind.map(str::to_owned), ..Self::default() }
    }
}

impl Edge {
    pub(crate) fn is_shipped(&self) -> bool {
        self.dep_kinds.iter().any(|it| it.kind.as_deref() != Some("dev"))
    }
}

#[cfg(test)]
mod tests {
    use super::published;
    use crate::repo::Repo;

    #[test]
    fn crates_that_are_not_published_are_left_out_and_libraries_have_their_own_names() {
        let crates = published(&Repo::find()).expect("cargo is here");
        let names: Vec<_> = crates.iter().map(|package| (package.name.as_str(), package.library())).collect();
        assert!(names.contains(&("queue-jobs", "queue")) && names.is_sorted(), "{names:?}");
        assert!(names.iter().all(|(name, _)| !["xtask", "queue-e2e"].contains(name)), "{names:?}");
    }
}
