//! `cargo xtask pages`: every program of every page, as a reader would try it.
//!
//! For each set of dependencies that pages name there is an empty directory, in which their
//! `cargo add` is run; a crate of ours is the one that would go to the registry. Each program is
//! compiled there, and run unless it is `no_run` and not for an `empty_directory`; one that opens a
//! server is run where the environment names a server (`cargo xtask services run`).

mod add;
mod book;
mod packed;
mod page;
mod program;
mod project;
mod server;
#[path = "../../../examples/guide/weave.rs"]
mod weave;

use std::fs;

use anyhow::{Context, Result, bail, ensure};

use self::add::{Origins, locked};
use self::program::{Ran, Tally};
use self::project::Workspace;
use crate::repo::Repo;

/// Tries the programs of all pages whose path contains one of the words, or of all pages; goes on
/// after a failure, and then fails.
pub(crate) fn run(repo: &Repo, words: &[String]) -> Result<()> {
    let mut pages = book::pages(repo)?;
    pages.retain(|page| words.is_empty() || words.iter().any(|word| page.path.contains(word)));
    ensure!(!pages.is_empty(), "no page with programs has such a name");
    if let Some(page) = pages.iter().find(|page| page.adds.is_empty()) {
        bail!("{}: has programs and names no dependency; tell readers what to `cargo add`", page.path);
    }
    let lock_file = fs::read_to_string(repo.root().join("Cargo.lock")).context("cannot read Cargo.lock")?;
    let origins = Origins { packed: packed::crates(repo)?, locked: locked(&lock_file) };
    let workspace = Workspace::create(repo, &pages, &origins, &lock_file)?;

    let mut tally = Tally::default();
    for project in &workspace.projects {
        println!("{}: cargo add {}", project.paths().join(", "), project.adds().join("; "));
        match workspace.compile(repo, project) {
            Ok(()) => tally.compiled(project, |program| workspace.run(program)),
            Err(error) => tally.add(project.name(), &Ran::Failed(format!("{error:#}"))),
        }
    }
    println!("{} pages, {} sets of dependencies, {tally}", pages.len(), workspace.projects.len());
    match tally.failed() {
        0 => Ok(()),
        failed => bail!("programs of pages that do not work: {failed}"),
    }
}
