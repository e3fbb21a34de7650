//! This program in place of rustdoc: it calls the real one and asks it for a description in JSON.
//! That reads comments as pages do, and finds the same faults of them.
//!
//! `cargo doc` would read all dependencies once more, as it knows no compiled ones. For tests of
//! documentation cargo compiles everything, and then calls rustdoc: so it is asked for these.
//!
//! Permission to use unstable features is given to rustdoc alone. In cargo's environment it would
//! make every dependency choose other code and be compiled again.

use std::env;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use super::Others;
use crate::metadata::Package;
use crate::repo::Repo;
use crate::{command, linted};

/// The variable that names the real rustdoc when cargo calls this program in its place.
const REAL: &str = "QUEUE_XTASK_RUSTDOC";
/// The variable that names the folder of descriptions.
const FOLDER: &str = "QUEUE_XTASK_DESCRIPTIONS";
/// What cargo says of a test, each with a value.
const OF_TESTS: [&str; 2] = ["--test-args", "--test-run-directory"];

/// Does rustdoc's work if cargo called this program as rustdoc.
pub(crate) fn as_rustdoc() -> Option<ExitCode> {
    let mut rustdoc = Command::new(env::var_os(REAL)?);
    let (arguments, is_test) = without_test(env::args().skip(1));
    rustdoc.args(arguments);
    if is_test {
        rustdoc.env("RUSTC_BOOTSTRAP", "1").args(["-Z", "unstable-options", "--output-format", "json"]);
        rustdoc.arg("--out-dir").arg(env::var_os(FOLDER)?);
    }
    let is_done = rustdoc.status().is_ok_and(|status| status.success());
    Some(if is_done { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The arguments of a call that describes a crate, and whether it was one that tests it. Otherwise
/// cargo only asks for the version.
fn without_test(arguments: impl IntoIterator<Item = String>) -> (Vec<String>, bool) {
    let (mut left, mut is_test) = (Vec::new(), false);
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match &*argument {
            "--test" => is_test = true,
            name if OF_TESTS.contains(&name) => drop(arguments.next()),
            _ => left.push(argument),
        }
    }
    (left, is_test)
}

/// Describes crates with all their features. A warning is an error.
pub(super) fn describe(repo: &Repo, crates: &[Package], others: Others) -> Result<()> {
    let mut arguments = vec!["test", "--doc", "--quiet", "--all-features"];
    let mut cargo = match others {
        Others::Described => {
            arguments.push("--workspace");
            linted::cargo(repo, &arguments)?
        }
        Others::LeftOut => {
            arguments.extend(crates.iter().flat_map(|each| ["--package", each.name.as_str()]));
            command::cargo(repo, &arguments)
        }
    };
    let this = env::current_exe().context("this program has no path")?;
    let real = env::var_os("RUSTDOC").unwrap_or_else(|| "rustdoc".into());
    cargo.env("RUSTDOCFLAGS", "-D warnings").env("RUSTDOC", this);
    command::run(cargo.env(REAL, real).env(FOLDER, folder(repo)))
}

fn folder(repo: &Repo) -> PathBuf {
    repo.target().join("doc")
}

/// The path of a library's JSON.
pub(super) fn json_of(repo: &Repo, library: &str) -> PathBuf {
    folder(repo).join(format!("{}.json", library.replace('-', "_")))
}

#[cfg(test)]
mod tests {
    use super::without_test;

    #[test]
    fn a_test_of_a_crate_becomes_its_description() {
        let read = |words: &str| without_test(words.split(' ').map(str::to_owned));
        let called = "--edition=2024 --crate-name a --test src/lib.rs --test-run-directory /a --test-args --quiet -L b";
        let (left, is_test) = read(called);
        assert_eq!(
            (left.join(" ").as_str(), is_test),
            ("--edition=2024 --crate-name a src/lib.rs -L b", true)
        );
        let (left, is_test) = read("-vV");
        assert_eq!((left.join(" ").as_str(), is_test), ("-vV", false));
    }
}
