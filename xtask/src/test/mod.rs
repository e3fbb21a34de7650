//! `cargo xtask test`: every test and example of the workspace, against private servers.
//!
//! `cargo test` runs one test program after another, and ours wait for most of their time: for
//! leases that lapse, for retries, for servers. So several run at once here, those that take
//! longest first. All run to their end, also after a failure, and the output of each is shown in
//! one piece when it ends. What failed is run once more, alone, and comes after all others, so that
//! the end of a log has it.

mod busy;
mod ended;
mod expected;
mod found;
mod program;
mod shards;
mod table;
mod usage;
mod verdict;

use std::cmp::Reverse;
use std::env;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use self::busy::Busy;
use self::ended::Ended;
use self::found::{everything, only, quick};
use self::program::{Program, built};
pub(crate) use self::table::{columns, heading};
pub(crate) use self::usage::Usage;
use self::verdict::Verdict;
use crate::repo::Repo;
use crate::turn::Turn;
use crate::{command, in_memory, linted, services};

/// How many test programs run at once for each processor.
const PROGRAMS_PER_PROCESSOR: usize = 2;

/// What is run, and how.
#[derive(Args, Default)]
pub(crate) struct Wanted {
    /// Only programs whose name, such as `queue-core::it`, contains one of these
    words: Vec<String>,
    /// Run each program so often; then one that is red at all fails
    #[arg(long, value_name = "N")]
    times: Option<usize>,
    /// Beside so many processes that compute
    #[arg(long, value_name = "K", default_value_t = 0)]
    busy: usize,
    /// Only unit tests, and the suite on memory and SQLite
    #[arg(long)]
    quick: bool,
    /// The whole suite on every way to a store; so it is where words name programs
    #[arg(long)]
    all: bool,
    /// Arguments of each program, such as the names of tests
    #[arg(last = true)]
    arguments: Vec<OsString>,
    /// What the build that looks for lints has made
    #[arg(skip)]
    is_linted: bool,
}

impl Wanted {
    /// What everyday work needs.
    pub(crate) fn quick() -> Self {
        Self { quick: true, ..Self::default() }
    }

    /// What a usual run does, or `all`, after a build that looked for lints.
    pub(crate) fn linted(all: bool) -> Self {
        Self { all, is_linted: true, ..Self::default() }
    }

    fn is_in_shards(&self) -> bool {
        !self.all && self.words.is_empty()
    }
}

/// What a run found.
pub(crate) struct Report {
    /// The slowest programs, and what they used.
    pub(crate) table: String,
    /// What belongs to the end of a log: failures, those by chance too, and how to repeat them.
    pub(crate) end: String,
    /// Why the run does not pass.
    pub(crate) refusal: Option<String>,
}

/// Runs what is wanted, and ends with what it found.
pub(crate) fn run(repo: &Repo, wanted: &Wanted) -> Result<()> {
    let Report { table, end, refusal } = report(repo, wanted)?;
    print!("\n{table}{end}");
    refusal.map_or(Ok(()), |why| bail!(why))
}

/// Runs what is wanted. An error is what kept it from running.
pub(crate) fn report(repo: &Repo, wanted: &Wanted) -> Result<Report> {
    let words = &wanted.words;
    let cargo = |arguments: &[&str]| {
        if wanted.is_linted { linted::cargo(repo, arguments) } else { Ok(command::cargo(repo, arguments)) }
    };
    let mut programs = match only(repo, words) {
        Some(targets) => built(cargo, &[vec!["--workspace"], targets].concat())?,
        None if wanted.quick => quick(cargo)?,
        None => everything(repo, cargo, wanted.is_linted)?,
    };
    for word in words {
        let is_known = programs.iter().any(|program| program.name.contains(word));
        ensure!(is_known, "no test program has {word:?} in its name");
    }
    programs.retain(|program| words.is_empty() || words.iter().any(|word| program.name.contains(word)));
    programs.sort_by_key(|program| Reverse(expected::seconds(&program.name)));
    let turn = wanted.is_in_shards().then(|| Turn::of(repo));
    let prepared = |program: Program| {
        let part = turn.and_then(|turn| shards::part(&program.name, turn));
        program.with_arguments(&wanted.arguments).with_environment(part).beside(wanted.busy)
    };
    let programs = programs.into_iter().map(prepared).collect();
    let work = |servers: &[(String, String)]| {
        let _busy = Busy::start(wanted.busy)?;
        Ok(match wanted.times {
            None => once(programs, servers),
            Some(times) => often(&programs, times, servers),
        })
    };
    let folder = in_memory::folder();
    let temporary = folder.as_ref().map_or_else(env::temp_dir, |folder| folder.path().to_owned());
    if wanted.quick {
        return work(&environment(&temporary, &[]));
    }
    let mut report = None;
    services::with_everyday_servers(repo, &temporary, |servers| {
        report = Some(work(&environment(&temporary, servers))?);
        Ok(())
    })?;
    report.context("no test was run")
}

/// Of the tests: where their servers are, and where they write.
fn environment(temporary: &Path, servers: &[(String, String)]) -> Vec<(String, String)> {
    let mut environment = servers.to_vec();
    environment.push(("TMPDIR".to_owned(), temporary.to_string_lossy().into_owned()));
    environment
}

/// Each once, and once more where it was red.
fn once(programs: Vec<Program>, environment: &[(String, String)]) -> Report {
    let mut ended = all(programs, environment);
    let table = table::of(&ended);
    let count = ended.len();
    let red = ended.extract_if(.., |ended| !ended.passed()).collect::<Vec<_>>();
    let verdict = Verdict::of(red, |red| {
        println!("\n{}\n{}: run once more, alone", red.shown(), red.name());
        red.program.clone().run(environment)
    });
    println!("{count} test programs were run");
    Report { table, end: verdict.shown(), refusal: verdict.refusal() }
}

/// Each so often, in rounds.
fn often(programs: &[Program], times: usize, environment: &[(String, String)]) -> Report {
    let rounds = (0..times).flat_map(|_| programs.to_vec()).collect();
    let ended = all(rounds, environment);
    let (table, count) = (table::of(&ended), ended.len());
    let red: Vec<_> = ended.into_iter().filter(|ended| !ended.passed()).collect();
    let mut end = String::new();
    for red in &red {
        let failed = red.failed().join(" ");
        write!(end, "\n{}RED {} {failed}\n", red.shown(), red.name()).expect("a string takes text");
    }
    let refusal = (!red.is_empty()).then(|| format!("{} of {count} runs were red", red.len()));
    Report { table, end, refusal }
}

/// Runs them in their order, several at once, and then those that must be alone.
fn all(programs: Vec<Program>, environment: &[(String, String)]) -> Vec<Ended> {
    let (alone, together): (Vec<_>, Vec<_>) = programs.into_iter().partition(Program::is_alone);
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let mut ended = side_by_side(together, processors * PROGRAMS_PER_PROCESSOR, environment);
    ended.extend(side_by_side(alone, 1, environment));
    ended
}

/// Runs so many at once, and shows each that passed when it ends.
fn side_by_side(programs: Vec<Program>, at_once: usize, environment: &[(String, String)]) -> Vec<Ended> {
    let waiting = Mutex::new(programs.into_iter());
    let (tell, told) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..at_once {
            let (waiting, tell) = (&waiting, tell.clone());
            scope.spawn(move || {
                // The lock is free again before the program runs.
                let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
                while let Some(program) = next() {
                    drop(tell.send(program.run(environment)));
                }
            });
        }
        drop(tell);
        told.into_iter()
            .inspect(|ended| {
                if ended.passed() {
                    println!("\n{}", ended.shown());
                } else {
                    println!("\n--- {}: FAILED: {}", ended.name(), ended.failed().join(" "));
                }
            })
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::program::tests::shell;
    use super::{often, once};

    /// Red the first time, and green from then on: what chance does.
    fn unlucky(name: &str, folder: &std::path::Path) -> super::Program {
        let mark = folder.join(name);
        let mark = mark.display();
        shell(name, &format!("mkdir {mark} 2>/dev/null || exit 0; echo 'test t ... FAILED'; exit 1"))
    }

    #[test]
    fn one_planted_flake_is_told_and_passes_and_two_fail() {
        let folder = tempfile::tempdir().expect("a folder");
        let report = once(vec![unlucky("one", folder.path()), shell("green", "exit 0")], &[]);
        assert_eq!(report.refusal, None);
        assert!(report.end.ends_with("FLAKY one t\n"), "{}", report.end);
        let two = vec![unlucky("two", folder.path()), unlucky("three", folder.path())];
        assert!(once(two, &[]).refusal.is_some_and(|why| why.contains("2 test programs were red by chance")));
    }

    #[test]
    fn a_true_failure_ends_with_how_to_repeat_it() {
        let report = once(vec![shell("broken", "echo 'test t ... FAILED'; exit 1")], &[]);
        assert_eq!(report.refusal.as_deref(), Some("1 test program failed: broken"));
        assert!(
            report.end.ends_with("to repeat it: cargo xtask test broken -- --exact t\n"),
            "{}",
            report.end
        );
    }

    #[test]
    fn rounds_forgive_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let report = often(&[unlucky("one", folder.path()), shell("green", "exit 0")], 3, &[]);
        assert_eq!(report.refusal.as_deref(), Some("1 of 6 runs were red"));
        assert!(report.end.ends_with("RED one t\n"), "{}", report.end);
    }
}
