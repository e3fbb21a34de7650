//! Which programs there are to run.

use std::env;
use std::process::Command;

use anyhow::{Context, Result};
use clap::ValueEnum;

use super::program::{Program, built};
use crate::repo::Repo;
use crate::{clients, web};

/// Stores on which everyday work runs the suite, since they need no server.
const QUICK: [&str; 2] = ["queue-memory::conformance", "queue-sqlite::conformance"];

/// Every test program, and what else passes or fails as a whole. Documentation is described from
/// the build that looks for lints alone.
pub(super) fn everything(
    repo: &Repo,
    cargo: impl Fn(&[&str]) -> Result<Command>,
    is_linted: bool,
) -> Result<Vec<Program>> {
    let mut programs = built(&cargo, &["--workspace"])?;
    let examples = cargo(&["test", "--workspace", "--all-features", "--doc"])?;
    programs.push(Program::other(repo, "examples of the docs", &examples));
    let this = env::current_exe().context("this program has no path")?;
    let mut add = |name: &str, arguments: &[&str]| {
        programs.push(Program::other(repo, name, Command::new(&this).args(arguments)));
    };
    for part in clients::parts(repo) {
        let part = part.to_possible_value().context("a part has a name")?;
        add(&format!("clients::{}", part.get_name()), &["clients", "--built", part.get_name()]);
    }
    if web::is_possible(repo) {
        add("dashboard in a browser", &["web", "--built", "--quick"]);
    }
    if is_linted {
        add("documentation", &["api", "--built"]);
    }
    Ok(programs)
}

/// What cargo is asked for where each word is the whole name of a program below a folder `tests`:
/// these alone, since building the others takes minutes.
pub(super) fn only<'a>(repo: &Repo, words: &'a [String]) -> Option<Vec<&'a str>> {
    let target = |word: &'a String| {
        let (package, target) = word.split_once("::")?;
        let is_here = |folder: &str| {
            let tests = repo.root().join(folder).join(package).join("tests");
            tests.join(target).join("main.rs").exists() || tests.join(format!("{target}.rs")).exists()
        };
        ["crates", "examples", ""].into_iter().any(is_here).then_some(["--test", target])
    };
    let targets: Vec<_> = words.iter().map(target).collect::<Option<_>>()?;
    (!targets.is_empty()).then(|| targets.concat())
}

/// Unit tests, and the suite on the stores that need nothing.
pub(super) fn quick(cargo: impl Fn(&[&str]) -> Result<Command>) -> Result<Vec<Program>> {
    let mut programs = built(cargo, &["--workspace", "--lib", "--bins", "--test", "conformance"])?;
    programs.retain(|program| !program.name.ends_with("::conformance") || QUICK.contains(&&*program.name));
    Ok(programs)
}
