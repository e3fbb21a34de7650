//! `cargo xtask guard`: counts the instructions of the work in `benches/guard`, and compares them
//! with committed limits.
//!
//! A busy machine makes a program slower, and makes it execute no other instructions. What is left
//! of noise are hash seeds and the C library; a few percent of room cover those, and a change of
//! the compiler wants new limits.

mod count;
mod limits;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use anyhow::{Result, bail, ensure};

use self::count::Counter;
use self::limits::Limits;
use crate::command;
use crate::repo::Repo;

const LIMITS: &str = "benches/guard/limits.json";

/// What is done with the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// They are compared with the limits.
    Check,
    /// They become the limits.
    Bless,
}

/// Whether the tool that counts is there.
pub(crate) fn is_possible() -> bool {
    Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success())
}

pub(crate) fn run(repo: &Repo, mode: Mode) -> Result<()> {
    ensure!(is_possible(), "valgrind is not installed, and it is what counts");
    let counter = Counter::build(repo)?;
    let subjects = counter.subjects()?;
    if mode == Mode::Bless {
        return Limits::of(counts(&counter, &subjects)?, compiler()).save(&path(repo));
    }
    let limits = Limits::load(&path(repo))?;
    limits.require_the_same_subjects(&subjects)?;
    note_compiler(&limits);
    let mut broken = Vec::new();
    for (name, count) in counts(&counter, &subjects)? {
        let verdict = limits.judge(&name, count)?;
        println!("{verdict}");
        if verdict.is_above() {
            broken.push(name);
        }
    }
    if !broken.is_empty() {
        bail!(
            "{}: if it is meant, `cargo xtask guard --bless` moves the limits, and the commit says why",
            broken.join(", ")
        );
    }
    Ok(())
}

/// Shows that the guard can fail: every subject does a ninth of its work twice, and each must be
/// seen. The limits are the limits of this moment, since the committed ones may hang above what is
/// needed by now.
pub(crate) fn planted(repo: &Repo) -> Result<()> {
    let counter = Counter::build(repo)?;
    let mut unseen = Vec::new();
    for name in counter.subjects()? {
        let limits = Limits::of([(name.clone(), counter.count(&name, false)?)].into(), compiler());
        let verdict = limits.judge(&name, counter.count(&name, true)?)?;
        println!("slowed by a ninth: {verdict}");
        if !verdict.is_above() {
            unseen.push(name);
        }
    }
    ensure!(unseen.is_empty(), "a slowdown of {} is not seen", unseen.join(", "));
    Ok(())
}

/// Of every subject, one on each processor at a time: company changes no count.
fn counts(counter: &Counter, subjects: &[String]) -> Result<BTreeMap<String, u64>> {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let share = subjects.len().div_ceil(processors).max(1);
    let count = |name: &String| Ok((name.clone(), counter.count(name, false)?));
    thread::scope(|scope| {
        let shares: Vec<_> = subjects
            .chunks(share)
            .map(|share| scope.spawn(move || share.iter().map(count).collect::<Result<Vec<_>>>()))
            .collect();
        let joined = shares.into_iter().map(|share| share.join().expect("counting does not panic"));
        Ok(joined.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    })
}

fn path(repo: &Repo) -> PathBuf {
    repo.root().join(LIMITS)
}

fn compiler() -> String {
    let said = command::output(Command::new("rustc").arg("--version")).unwrap_or_default();
    String::from_utf8_lossy(&said).trim().to_owned()
}

/// Another compiler makes other instructions of the same code.
fn note_compiler(limits: &Limits) {
    let here = compiler();
    if limits.compiler != here {
        println!("note: the limits were taken with {}, and this is {here}", limits.compiler);
    }
}
