//! `cargo xtask clients`: the clients in other languages against the real server.
//!
//! Each language is skipped, and said to be, if the machine lacks it. What is installed for it goes
//! below `target`.

mod node;
mod python;

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

use crate::built::Built;
use crate::command;
use crate::repo::Repo;

/// How a client fared.
enum Ended {
    Passed,
    /// The machine cannot run it, for this reason.
    Skipped(String),
}

/// What can be tested by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    Python,
    Node,
    /// Workers of all languages that are killed: a slice of [`soak`]
    Kills,
    /// Workers of all languages behind a proxy with pages of its own: a slice of [`soak`]
    Pages,
}

/// The name of the `queue` command in the environment of tests.
const VARIABLE: &str = "QUEUE_PROGRAM";

/// Of the long run.
const SLICE: [&str; 4] = ["--kills", "20", "--workers", "2"];
/// Of the long run behind a proxy: each worker meets some six pages and more.
const PAGES_SLICE: [&str; 4] = ["--jobs", "100", "--one-in", "5"];

pub(crate) use node::is_here as has_node;
pub(crate) use python::{copy as copy_of_python, interpreter as python, is_here as has_python};

/// Installs what the tests of clients need besides their languages. Returns what cannot be tested,
/// and why.
pub(crate) fn prepare(repo: &Repo) -> Vec<String> {
    let mut left = Vec::new();
    if has_python() && python::interpreter(repo).is_none() {
        left.push("the Python client, as pip cannot install httpx and mypy".to_owned());
    }
    if has_node() && node::type_checker(repo).is_none() {
        left.push("the types of the Node client, as npm cannot install TypeScript".to_owned());
    }
    left
}

/// The parts that can be tested with what [`prepare`] has installed.
pub(crate) fn parts(repo: &Repo) -> Vec<Part> {
    let (python, node) = (has_python() && python::interpreter(repo).is_some(), has_node());
    let can = |part: &Part| match part {
        Part::Python => python,
        Part::Node => node,
        Part::Kills | Part::Pages => python && node,
    };
    Part::value_variants().iter().copied().filter(can).collect()
}

/// Tests the parts, or all of them, with programs that are built; fails in the end if one failed.
pub(crate) fn run(repo: &Repo, built: &Built, parts: &[Part]) -> Result<()> {
    let parts = if parts.is_empty() { Part::value_variants() } else { parts };
    let mut failed = Vec::new();
    for &part in parts {
        let ended = match part {
            Part::Python => python::run(repo, &built.queue),
            Part::Node => node::run(repo, &built.queue),
            Part::Kills => slice(repo, built, Long::Clients, &SLICE),
            Part::Pages => slice(repo, built, Long::Pages, &PAGES_SLICE),
        };
        match ended {
            Ok(Ended::Passed) => println!("{part:?}: passed"),
            Ok(Ended::Skipped(why)) => println!("{part:?}: SKIPPED: {why}"),
            Err(error) => {
                println!("{part:?}: FAILED: {error:#}");
                failed.push(format!("{part:?}"));
            }
        }
    }
    if !failed.is_empty() {
        bail!("clients that failed: {}", failed.join(", "));
    }
    Ok(())
}

fn slice(repo: &Repo, built: &Built, long: Long, arguments: &[&str]) -> Result<Ended> {
    if !(has_python() && has_node()) {
        return Ok(Ended::Skipped("it needs Python and Node".to_owned()));
    }
    command::run(soaking(repo, built, long)?.args(arguments))?;
    Ok(Ended::Passed)
}

/// Long runs with workers of all languages; the program documents their arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Long {
    /// They are killed and stopped at random.
    Clients,
    /// A proxy answers some of their calls with pages of its own.
    Pages,
}

impl Long {
    const fn name(self) -> &'static str {
        match self {
            Self::Clients => "clients",
            Self::Pages => "pages",
        }
    }

    /// The run of this name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        [Self::Clients, Self::Pages].into_iter().find(|long| long.name() == name)
    }
}

pub(crate) fn soak(repo: &Repo, long: Long, arguments: &[String]) -> Result<()> {
    command::run(soaking(repo, &Built::make(repo)?, long)?.args(arguments))
}

/// The program of the run. No figure of it depends on how it was compiled.
pub(crate) fn soaking(repo: &Repo, built: &Built, long: Long) -> Result<Command> {
    let python = python::interpreter(repo).context("httpx and mypy cannot be installed with pip")?;
    let mut program = Command::new(&built.soak);
    program.current_dir(repo.root()).args([long.name(), "--program"]).arg(&built.queue);
    program.arg("--python").arg(python).arg("--clients").arg(repo.root().join("clients"));
    Ok(program)
}

/// Runs a test of a client that talks to this program.
fn test(command: &mut Command, queue: &Path) -> Result<()> {
    command::run(command.env(VARIABLE, queue))
}

/// The numbers of a version such as `Python 3.11.7` or `v20.1.0`.
fn version(text: &str) -> Option<(u32, u32)> {
    let start = text.find(|character: char| character.is_ascii_digit())?;
    let mut numbers = text[start..].trim().split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn versions_are_read_from_what_programs_print() {
        assert_eq!(version("Python 3.11.7\n"), Some((3, 11)));
        assert_eq!(version("v20.20.2"), Some((20, 20)));
        assert_eq!(version("no version"), None);
        assert_eq!(version(""), None);
    }
}
