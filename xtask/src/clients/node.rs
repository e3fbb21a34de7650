//! The Node client: its tests, which run the scenarios as well.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::{Ended, test, version};
use crate::command;
use crate::machine::works;
use crate::repo::Repo;

const LEAST: u32 = 18;
/// The checker of types, in the versions of the client's `package.json`.
const TOOLS: [&str; 2] = ["typescript@5.9.3", "@types/node@18.19.130"];

/// Whether it can be tested here.
pub(crate) fn is_here() -> bool {
    let printed = Command::new("node").arg("--version").output().map(|output| output.stdout);
    let found = printed.ok().and_then(|text| version(&String::from_utf8_lossy(&text)));
    found.is_some_and(|(major, _)| major >= LEAST) && works("npm", &["--version"])
}

pub(super) fn run(repo: &Repo, queue: &Path) -> Result<Ended> {
    if !is_here() {
        return Ok(Ended::Skipped(format!("node from {LEAST} on, with npm, is not installed")));
    }
    let mut node = Command::new("node");
    node.arg("--test").current_dir(repo.root().join("clients/node"));
    let checker = type_checker(repo);
    if let Some(checker) = &checker {
        node.env("QUEUE_TSC", checker);
    }
    test(&mut node, queue)?;
    Ok(match checker {
        Some(_) => Ended::Passed,
        None => Ended::Skipped("npm cannot install TypeScript: all but the types passed".to_owned()),
    })
}

/// The TypeScript compiler, installed below `target`; the tests of the client run it.
pub(super) fn type_checker(repo: &Repo) -> Option<PathBuf> {
    let home = repo.target().join("clients/node");
    let compiler = home.join("node_modules/.bin/tsc");
    if !compiler.is_file() {
        std::fs::create_dir_all(&home).ok()?;
        let mut install = Command::new("npm");
        install.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(&home).args(TOOLS);
        command::run(&mut install).ok()?;
    }
    compiler.is_file().then_some(compiler)
}
