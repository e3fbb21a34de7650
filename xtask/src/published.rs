//! The crates that go to the registry, as `cargo metadata` shows them.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::command;
use crate::repo::Repo;

/// A crate of `crates/`.
#[derive(Deserialize)]
pub(crate) struct Published {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Each feature, and what it switches on.
    pub(crate) features: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    targets: Vec<Target>,
    /// Nothing for a crate that goes to any registry, and an empty list for one that goes to none.
    publish: Option<Vec<String>>,
}

/// What is built of a package.
#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

impl Published {
    /// The name by which programs know it, which need not be the package's.
    pub(crate) fn library(&self) -> &str {
        let library = self.targets.iter().find(|target| target.kind.iter().any(|kind| kind == "lib"));
        library.map_or(&self.name, |target| &target.name)
    }
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Published>,
}

/// In the order of their names.
pub(crate) fn published(repo: &Repo) -> Result<Vec<Published>> {
    let arguments = ["metadata", "--no-deps", "--format-version", "1"];
    let crates = read(&command::output(&mut command::cargo(repo, &arguments))?)?;
    ensure!(!crates.is_empty(), "no crate of this workspace is published");
    Ok(crates)
}

fn read(json: &[u8]) -> Result<Vec<Published>> {
    let metadata: Metadata = serde_json::from_slice(json).context("cargo metadata has an unknown shape")?;
    let mut crates = metadata.packages;
    crates.retain(|package| package.publish.is_none());
    crates.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(crates)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn crates_that_are_not_published_are_left_out() {
        let json = br#"{"packages": [
            {"name": "b", "version": "0.1.0", "features": {"x": ["dep:y"]}, "publish": null, "id": "b", "targets": []},
            {"name": "c", "version": "0.1.0", "features": {}, "publish": [], "targets": []},
            {"name": "a", "version": "0.1.0", "features": {}, "publish": null, "targets": [
                {"kind": ["test"], "name": "it"}, {"kind": ["lib"], "name": "short"}]}]}"#;
        let crates = read(json).expect("this is the shape of cargo metadata");
        let names: Vec<&str> = crates.iter().map(|package| package.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(crates[1].features["x"], ["dep:y"]);
        assert_eq!((crates[0].library(), crates[1].library()), ("short", "b"));
    }
}
