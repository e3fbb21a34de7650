//! Mistakes in the code of a crate, each with the test that finds it.
//!
//! A copy of the work tree gets all of them at once, each behind a condition that asks the
//! environment: so there is one build, no seam in the library, and what is tried is its own code.
//! That every mistake still has its place, and its test, is a test of its own and part of every
//! run; trying them costs a build, so that `verify` leaves it out.

use anyhow::{Result, bail};

use super::{build, tree};
use crate::repo::Repo;

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

/// Builds the copy once, sees every test green, and then each one red under its mistake.
pub(super) fn try_all(repo: &Repo, mistakes: &[Mistake]) -> Result<()> {
    let copy = tree::copy(repo, mistakes)?;
    let programs = build::build(&copy, mistakes)?;
    let mut survivors = Vec::new();
    for Mistake { caught_by: test, .. } in mistakes {
        if !programs.run(test, None)?.is_green {
            bail!("`{}` fails without a mistake", test.name);
        }
    }
    println!("| mistake | caught by |\n|---|---|");
    for Mistake { name, caught_by: test, .. } in mistakes {
        if programs.run(test, Some(name))?.is_red {
            println!("| {name} | `{}` |", test.name);
        } else {
            println!("| {name} | nobody: `{}` passes |", test.name);
            survivors.push(*name);
        }
    }
    if !survivors.is_empty() {
        bail!("mistakes that no test notices: {}", survivors.join("; "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::schedules::MISTAKES;
    use super::tree::planted;
    use crate::repo::Repo;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    #[test]
    fn every_mistake_has_a_name_of_its_own_that_needs_no_quoting() {
        let names: BTreeSet<&str> = MISTAKES.iter().map(|mistake| mistake.name).collect();
        assert_eq!(names.len(), MISTAKES.len());
        assert!(names.iter().all(|name| !name.contains(['"', '\\', '|'])));
    }

    #[test]
    fn every_mistake_still_has_its_place() {
        for mistake in MISTAKES {
            let text = fs::read_to_string(Repo::find().root().join(mistake.file)).expect(mistake.file);
            planted(&text, &[mistake]).expect("it stands in the file once");
        }
    }

    #[test]
    fn every_test_that_is_named_is_there() {
        for mistake in MISTAKES {
            let test = mistake.caught_by;
            let name = test.name.rsplit("::").next().expect("at least itself");
            let folder = test.package.strip_suffix("-jobs").unwrap_or(test.package);
            let tests = Repo::find().root().join("crates").join(folder).join("tests");
            assert!(has(&tests, &format!("fn {name}(")), "{}: no test {name}", mistake.name);
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
