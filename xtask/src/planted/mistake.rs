//! Mistakes in the code of a crate, each with the test that finds it.
//!
//! A copy of the work tree gets all of them at once, each behind a condition that asks the
//! environment: so there is one build, no seam in the library, and what is tried is its own code.
//! That every mistake still has its place, and its test, is a test of its own and part of every
//! run; trying them costs a build, so that `verify` leaves it out.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::tree;
use crate::command;
use crate::repo::Repo;

/// Features that the tests of a package ask for beside the default ones.
const FEATURES: [(&str, &str); 2] =
    [("queue-jobs", "fs,msgpack,postgres,redis,remote,testing"), ("queue-remote", "server")];
/// Seconds for one test, all of which take less than one; a mistake may make it wait for ever.
const PATIENCE_S: &str = "60";
const NO_LIMIT: &str = "0";

/// Names the mistake that the program is to make.
pub(super) const VARIABLE: &str = "QUEUE_PLANTED";

/// One expression of the code, and what is computed in its stead.
pub(super) struct Mistake {
    /// What is wrong, for people.
    pub(super) name: &'static str,
    /// From the root of the work tree.
    pub(super) file: &'static str,
    /// An expression that stands in the file once.
    pub(super) right: &'static str,
    /// One of the same type.
    pub(super) wrong: &'static str,
    /// Who notices.
    pub(super) caught_by: Test,
}

/// A test by the names of its package and its target, and its own as it is listed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Test {
    pub(super) package: &'static str,
    pub(super) target: &'static str,
    pub(super) name: &'static str,
}

/// Builds the copy once, sees every test green, and then each one red under its mistake. Answers
/// the table of them.
pub(super) fn try_all(repo: &Repo, mistakes: &[Mistake]) -> Result<String> {
    let copy = tree::copy(repo, mistakes)?;
    let targets: BTreeSet<_> =
        mistakes.iter().map(|Mistake { caught_by: test, .. }| (test.package, test.target)).collect();
    for (package, target) in targets {
        command::run(cargo_test(NO_LIMIT, &copy, package, target).arg("--no-run"))?;
    }
    for Mistake { caught_by: test, .. } in mistakes {
        if summary(&copy, test, None)? != "1 passed; 0 failed" {
            bail!("`{}` fails without a mistake", test.name);
        }
    }
    let mut table = "| mistake | caught by |\n|---|---|\n".to_owned();
    print!("{table}");
    let mut survivors = Vec::new();
    for Mistake { name, caught_by: test, .. } in mistakes {
        let is_caught = summary(&copy, test, Some(name))? == "0 passed; 1 failed";
        if !is_caught {
            survivors.push(*name);
        }
        let catcher = if is_caught { format!("`{}`", test.name) } else { "**nothing**".to_owned() };
        let row = format!("| {name} | {catcher} |\n");
        print!("{row}");
        table.push_str(&row);
    }
    if !survivors.is_empty() {
        bail!("mistakes that no test notices: {}", survivors.join("; "));
    }
    Ok(table)
}

/// In a target folder of its own: cargo takes a copy for the original, and one would get the
/// other's libraries. Of the conditions around the mistakes the compiler would say that they could
/// be prettier.
fn cargo_test(limit: &str, copy: &Path, package: &str, target: &str) -> Command {
    let mut cargo = Command::new("timeout");
    cargo.arg(limit).arg(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["test", "--quiet", "--package", package, "--test", target]);
    if let Some((_, features)) = FEATURES.iter().find(|(of, _)| *of == package) {
        cargo.args(["--features", features]);
    }
    cargo.current_dir(copy).env("CARGO_TARGET_DIR", copy.with_file_name("target"));
    cargo.env("RUSTFLAGS", "-Awarnings").env_remove(VARIABLE);
    cargo
}

/// How many passed and failed when one test was run, with a mistake or without.
fn summary(copy: &Path, test: &Test, mistake: Option<&str>) -> Result<String> {
    let mut cargo = cargo_test(PATIENCE_S, copy, test.package, test.target);
    cargo.args(["--", "--exact", test.name]).envs(mistake.map(|mistake| (VARIABLE, mistake)));
    let output = cargo.output().with_context(|| format!("cannot run {}", command::line(&cargo)))?;
    Ok(counts(&String::from_utf8_lossy(&output.stdout)))
}

/// Nothing where the test was ended before it had an outcome.
fn counts(told: &str) -> String {
    let result = told.lines().find_map(|line| line.strip_prefix("test result: "));
    let counts = result.and_then(|result| result.split_once(". ")).map(|(_, counts)| counts);
    counts.map(|counts| counts.split("; ").take(2).collect::<Vec<_>>().join("; ")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::{
        batches, partitions, partitions_of_postgres, partitions_of_redis, schedules, stale, terms,
    };
    use super::tree::planted;
    use super::{Mistake, counts};
    use crate::repo::Repo;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    fn all() -> impl Iterator<Item = &'static Mistake> {
        let of_layers = schedules::MISTAKES.iter().chain(batches::MISTAKES);
        let of_servers = partitions_of_postgres::MISTAKES.iter().chain(partitions_of_redis::MISTAKES);
        of_layers.chain(partitions::MISTAKES).chain(of_servers).chain(terms::MISTAKES)
    }

    #[test]
    fn what_the_harness_tells_is_read() {
        let told = "\nrunning 1 test\nF\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured\n";
        assert_eq!(counts(told), "0 passed; 1 failed");
        assert_eq!(counts("running 1 test\n"), "", "it was ended");
    }

    #[test]
    fn every_mistake_has_a_name_of_its_own_that_needs_no_quoting() {
        let names: BTreeSet<&str> = all().map(|mistake| mistake.name).collect();
        assert_eq!(names.len(), all().count());
        assert!(names.iter().all(|name| !name.contains(['"', '\\', '|'])));
    }

    #[test]
    fn every_mistake_still_has_its_place() {
        for mistake in all().chain(stale::MISTAKES) {
            let text = fs::read_to_string(Repo::find().root().join(mistake.file)).expect(mistake.file);
            planted(&text, &[mistake]).expect("it stands in the file once");
        }
    }

    #[test]
    fn every_test_that_is_named_is_there() {
        let crates = Repo::find().root().join("crates");
        for mistake in all() {
            let test = mistake.caught_by;
            let name = test.name.rsplit("::").next().expect("at least itself");
            let folder = test.package.strip_suffix("-jobs").unwrap_or(test.package);
            let places = [crates.join(folder).join("tests"), crates.join("queue-testkit/src/cases")];
            let is_there = places.iter().any(|place| has(place, &format!("fn {name}(")));
            assert!(is_there, "{}: no test {name}", mistake.name);
        }
    }

    fn has(path: &Path, text: &str) -> bool {
        if path.is_dir() {
            return fs::read_dir(path)
                .expect("a folder")
                .any(|entry| has(&entry.expect("an entry").path(), text));
        }
        fs::read_to_string(path).is_ok_and(|found| found.contains(text))
    }
}
