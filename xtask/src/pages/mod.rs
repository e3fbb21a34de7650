//! `cargo xtask pages`: every program of every page, as a reader would try it.
//!
//! For each set of dependencies that pages name there is an empty directory, in which their `cargo
//! add` is run; crates of this workspace are used in the form that would go to the registry. Each
//! program is compiled there, and run unless it is `no_run` and not for an `empty_directory`; a
//! program that opens a server is run if the environment names a server (`cargo xtask services
//! run`).

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
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use self::add::{Origins, locked};
use self::program::{Ran, Tally};
use self::project::Workspace;
use crate::repo::Repo;

/// Tries the programs of all pages whose path is one of the words or contains it, or of all pages;
/// continues after a failure, and fails at the end. The packages are made first, unless the caller
/// has just made them.
pub(crate) fn run(repo: &Repo, words: &[&str], are_packed: bool) -> Result<()> {
    let mut pages = book::pages(repo)?;
    pages.retain(|page| words.is_empty() || words.iter().any(|word| is_named(&page.path, word)));
    ensure!(!pages.is_empty(), "no page with programs has such a name");
    if let Some(page) = pages.iter().find(|page| page.adds.is_empty()) {
        bail!("{}: has programs and names no dependency; tell readers what to `cargo add`", page.path);
    }
    let lock_file = fs::read_to_string(repo.root().join("Cargo.lock")).context("cannot read Cargo.lock")?;
    let origins = Origins { packed: packed::crates(repo, are_packed)?, locked: locked(&lock_file) };
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

/// A whole path names one page, also where the end of others is the same.
fn is_named(path: &str, word: &str) -> bool {
    let is_whole = Path::new(word).extension().is_some_and(|extension| extension == "md");
    path == word || !is_whole && path.contains(word)
}

#[cfg(test)]
mod tests {
    use super::is_named;

    #[test]
    fn a_path_names_one_page_and_a_word_all_that_contain_it() {
        assert!(is_named("README.md", "README.md") && !is_named("docs/README.md", "README.md"));
        assert!(is_named("docs/README.md", "README") && !is_named("docs/a.md", "b"));
    }
}
