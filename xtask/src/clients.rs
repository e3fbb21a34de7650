//! `cargo xtask clients`: the clients in other languages against the real server.
//!
//! Each language is skipped, and said to be, if the machine lacks it. What is installed for it goes
//! below `target`.

mod node;
mod python;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command;
use crate::repo::Repo;

/// How a client fared.
enum Ended {
    Passed,
    /// The machine cannot run it, for this reason.
    Skipped(String),
}

type Test = fn(&Repo, &Server) -> Result<Ended>;

const CLIENTS: [(&str, Test); 2] = [("Python", python::run), ("Node", node::run)];

/// The program that serves the store, and its name in the environment of tests.
struct Server {
    path: PathBuf,
}

impl Server {
    const VARIABLE: &str = "QUEUE_PROGRAM";
}

/// A slice of the long run of [`soak`].
const SLICE: [&str; 4] = ["--kills", "20", "--workers", "2"];

/// Tests every client, then fails if one failed. Returns why languages were skipped.
pub(crate) fn run(repo: &Repo) -> Result<Vec<String>> {
    let server = Server::build(repo)?;
    let (mut skipped, mut failed) = (Vec::new(), Vec::new());
    for (language, test) in CLIENTS {
        match test(repo, &server) {
            Ok(Ended::Passed) => println!("{language}: passed"),
            Ok(Ended::Skipped(why)) => {
                println!("{language}: SKIPPED: {why}");
                skipped.push(format!("{language}: {why}"));
            }
            Err(error) => {
                println!("{language}: FAILED: {error:#}");
                failed.push(language);
            }
        }
    }
    if !failed.is_empty() {
        bail!("clients that failed: {}", failed.join(", "));
    }
    if skipped.is_empty() {
        command::run(soaking(repo, &server.path)?.args(SLICE))?;
    }
    Ok(skipped)
}

/// Workers of all languages that are killed and stopped at random; the program documents the rest
/// of its arguments.
pub(crate) fn soak(repo: &Repo, arguments: &[String]) -> Result<()> {
    let server = Server::build(repo)?;
    command::run(soaking(repo, &server.path)?.args(arguments))
}

/// The program of the run against this server. No figure of it depends on how it was compiled.
pub(crate) fn soaking(repo: &Repo, server: &Path) -> Result<Command> {
    let python = python::interpreter(repo).context("httpx and mypy cannot be installed with pip")?;
    let mut program = command::cargo(repo, &["run", "--quiet", "-p", "queue-e2e", "--bin", "soak", "--"]);
    program.args(["clients", "--program"]).arg(server).arg("--python").arg(python);
    program.arg("--clients").arg(repo.root().join("clients"));
    Ok(program)
}

impl Server {
    fn build(repo: &Repo) -> Result<Self> {
        command::run(&mut command::cargo(repo, &["build", "--package", "queue-cli", "--all-features"]))?;
        Ok(Self { path: repo.target().join("debug/queue") })
    }
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
