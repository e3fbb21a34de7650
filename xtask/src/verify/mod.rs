//! `cargo xtask verify`: every check of CI, cheap ones first, up to the first that fails.

mod report;
mod steps;

use std::time::Instant;

use anyhow::{Result, bail};

use self::report::{Outcome, Report};
use self::steps::{STEPS, Step};
use crate::repo::Repo;

/// Runs the steps in order and prints a summary, also after a failure.
pub(crate) fn run(repo: &Repo) -> Result<()> {
    let mut report = Report::default();
    for step in STEPS {
        println!("\n=== {}: {}", step.name, step.purpose);
        let (outcome, seconds) = timed(step, repo);
        println!("=== {}: {outcome}, {seconds:.1} s", step.name);
        report.add(step.name, outcome, seconds);
        if report.has_failed() {
            break;
        }
    }
    for step in &STEPS[report.len()..] {
        report.add(step.name, Outcome::NotRun, 0.0);
    }
    println!("\n{report}");
    match report.failed() {
        Some(name) => bail!("step `{name}` failed"),
        None => Ok(()),
    }
}

#[expect(clippy::disallowed_methods, reason = "a command-line tool tells people how long a step took")]
fn timed(step: &Step, repo: &Repo) -> (Outcome, f64) {
    let start = Instant::now();
    let outcome = match (step.run)(repo) {
        Ok(outcome) => outcome,
        Err(error) => Outcome::Failed(format!("{error:#}")),
    };
    (outcome, start.elapsed().as_secs_f64())
}
