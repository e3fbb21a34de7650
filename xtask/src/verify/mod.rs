//! `cargo xtask verify`: every check of CI, cheap ones first, up to the first that fails.

mod steps;

use std::fmt::{self, Write};
use std::time::Instant;

use anyhow::{Result, bail};

use self::steps::{STEPS, Step};
use crate::repo::Repo;

/// How a step ended.
enum Outcome {
    Passed,
    /// Not done, for a reason that people must see.
    Skipped(String),
    Failed(String),
}

/// Runs the steps in order and prints a summary, also after a failure.
pub(crate) fn run(repo: &Repo) -> Result<()> {
    let mut failed = None;
    let mut report = format!("{:<10} {:>8}  outcome\n", "step", "seconds");
    for Step { name, purpose, run } in STEPS {
        if failed.is_some() {
            writeln!(report, "{name:<10} {:>8}  not run", "")?;
            continue;
        }
        println!("\n=== {name}: {purpose}");
        let (outcome, seconds) = timed(repo, *run);
        println!("=== {name}: {outcome}, {seconds:.1} s");
        writeln!(report, "{name:<10} {seconds:>8.1}  {outcome}")?;
        if let Outcome::Failed(_) = outcome {
            failed = Some(name);
        }
    }
    println!("\n{report}");
    match failed {
        Some(name) => bail!("step `{name}` failed"),
        None => Ok(()),
    }
}

#[expect(clippy::disallowed_methods, reason = "a command-line tool tells people how long a step took")]
fn timed(repo: &Repo, run: fn(&Repo) -> Result<Outcome>) -> (Outcome, f64) {
    let start = Instant::now();
    let outcome = run(repo).unwrap_or_else(|error| Outcome::Failed(format!("{error:#}")));
    (outcome, start.elapsed().as_secs_f64())
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
