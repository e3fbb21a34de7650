//! `cargo xtask verify`: every check of CI, cheap ones first, up to the first that fails.

mod steps;

use std::fmt::{self, Write};
use std::time::Instant;

use anyhow::{Result, bail, ensure};
use clap::Args;

use self::steps::{QUICK, STEPS, Step};
use crate::disk;
use crate::repo::Repo;
use crate::test::{Usage, columns, heading};

/// What is checked.
#[derive(Args)]
pub(crate) struct Wanted {
    /// Only these steps
    steps: Vec<String>,
    /// What everyday work needs, without servers: shape, lints, unit tests, the suite on memory and
    /// SQLite
    #[arg(long, conflicts_with = "all")]
    quick: bool,
    /// Also what a run leaves out: every pair of features, every page, every picture
    #[arg(long)]
    all: bool,
}

/// How much of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    Quick,
    /// What CI runs.
    Usual,
    All,
}

/// How a step ended.
#[derive(Debug)]
enum Outcome {
    Passed,
    /// Not done, or a part of it not, for a reason that people must see.
    Skipped(String),
    Failed(String),
}

/// What a step leaves for later ones and for the end of the log.
#[derive(Default)]
struct Left {
    /// Every crate is packed.
    packages: bool,
    /// What test programs used.
    table: String,
    /// Failures of tests, and how to repeat them.
    failures: String,
}

/// Runs the steps in order and prints a summary, also after a failure. The log ends with failures
/// and with how to repeat them.
pub(crate) fn run(repo: &Repo, wanted: &Wanted) -> Result<()> {
    let extent = match wanted {
        Wanted { quick: true, .. } => Extent::Quick,
        Wanted { all: true, .. } => Extent::All,
        _ => Extent::Usual,
    };
    let steps = chosen(&wanted.steps, extent)?;
    let mut failed = None;
    let mut left = Left::default();
    let mut report = format!("{:<8} {}  outcome\n", "step", heading());
    for Step { name, purpose, run } in steps {
        if failed.is_some() {
            writeln!(report, "{name:<8} {:>40}  not run", "")?;
            continue;
        }
        println!("\n=== {name}: {purpose}");
        let (outcome, usage) = measured(|| run(repo, extent, &mut left));
        println!("=== {name}: {outcome}, {:.1} s", usage.wall.as_secs_f64());
        writeln!(report, "{name:<8} {}  {outcome}", columns(usage))?;
        if let Outcome::Failed(_) = outcome {
            failed = Some(name);
        }
    }
    let built = disk::size(&repo.target()).map_or_else(|error| format!("{error:#}"), disk::gib);
    println!("\n{report}\nbuilt: {built}\n\n{}{}", left.table, left.failures);
    match failed {
        Some(name) => bail!("step `{name}` failed; this step alone: cargo xtask verify {name}"),
        None => Ok(()),
    }
}

/// The steps of this extent, or the named ones of them.
fn chosen(names: &[String], extent: Extent) -> Result<Vec<&'static Step>> {
    for name in names {
        let known: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        ensure!(known.contains(&name.as_str()), "there is no step {name:?}, but {}", known.join(", "));
    }
    let is_wanted = |step: &&Step| match names {
        [] => extent != Extent::Quick || QUICK.contains(&step.name),
        names => names.iter().any(|name| name == step.name),
    };
    Ok(STEPS.iter().filter(is_wanted).collect())
}

#[expect(clippy::disallowed_methods, reason = "a command-line tool tells people how long a step took")]
fn measured(run: impl FnOnce() -> Result<Outcome>) -> (Outcome, Usage) {
    let start = Instant::now();
    let before = Usage::so_far(start);
    let outcome = run().unwrap_or_else(|error| Outcome::Failed(format!("{error:#}")));
    (outcome, Usage::so_far(start) - before)
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => f.write_str("passed"),
            Self::Skipped(why) => write!(f, "SKIPPED: {why}"),
            Self::Failed(why) => write!(f, "FAILED: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Extent, chosen};

    #[test]
    fn steps_are_chosen_by_name_or_by_extent() {
        let names = |names: &[&str], extent| -> Vec<&str> {
            let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
            chosen(&names, extent).expect("known steps").iter().map(|step| step.name).collect()
        };
        assert_eq!(names(&["tests", "fmt"], Extent::Usual), ["fmt", "tests"]);
        assert_eq!(names(&[], Extent::Quick), ["fmt", "tidy", "deps", "clippy", "tests"]);
        assert_eq!(names(&[], Extent::Usual), names(&[], Extent::All));
        let error = chosen(&["test".to_owned()], Extent::Usual).err().expect("no such step").to_string();
        assert!(error.contains("\"test\"") && error.contains("tests"), "{error}");
    }
}
