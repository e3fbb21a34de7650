//! The Node client: its tests, which run the scenarios as well.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use super::{Ended, Server, version};
use crate::command;
use crate::repo::Repo;

const LEAST: u32 = 18;
/// The checker of types, in the versions of the client's `package.json`.
const TOOLS: [&str; 2] = ["typescript@5.9.3", "@types/node@18.19.130"];

pub(super) fn run(repo: &Repo, server: &Server) -> Result<Ended> {
    let folder = repo.root().join("clients/node");
    if !folder.join("package.json").is_file() {
        return Ok(Ended::Skipped("there is no client yet".to_owned()));
    }
    let printed = Command::new("node").arg("--version").output().map(|output| output.stdout);
    let found = printed.ok().and_then(|text| version(&String::from_utf8_lossy(&text)));
    if found.is_none_or(|(major, _)| major < LEAST) {
        return Ok(Ended::Skipped(format!("node from {LEAST} on is not installed")));
    }
    let mut test = Command::new("node");
    test.arg("--test").current_dir(folder).env(Server::VARIABLE, &server.path);
    let checker = type_checker(repo);
    if let Some(checker) = &checker {
        test.env("QUEUE_TSC", checker);
    }
    command::run(&mut test)?;
    Ok(match checker {
        Some(_) => Ended::Passed,
        None => Ended::Skipped("npm cannot install TypeScript: all but the types passed".to_owned()),
    })
}

/// The TypeScript compiler, installed below `target`; the tests of the client run it.
fn type_checker(repo: &Repo) -> Option<PathBuf> {
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
