//! `cargo xtask guard`: counts the instructions of the work in `benches/guard`, and compares them
//! with committed limits.
//!
//! A busy machine makes a program slower, and makes it execute no other instructions. What is left
//! of noise are hash seeds and the C library; a few percent of room cover those, and a change of
//! the compiler wants new limits.

mod count;
mod limits;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail, ensure};

use self::count::Counter;
use self::limits::{Limits, Verdict};
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
        let counts = subjects.iter().map(|name| Ok((name.clone(), counter.count(name, false)?)));
        return Limits::of(counts.collect::<Result<_>>()?, compiler()).save(&path(repo));
    }
    let limits = Limits::load(&path(repo))?;
    limits.require_the_same_subjects(&subjects)?;
    note_compiler(&limits);
    let mut broken = Vec::new();
    for name in &subjects {
        let verdict = limits.judge(name, counter.count(name, false)?)?;
        println!("{verdict}");
        if matches!(verdict, Verdict::Above { .. }) {
            broken.push(name.as_str());
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
/// seen. The limits are those of this moment, since the committed ones may hang above what is
/// needed by now.
pub(crate) fn planted(repo: &Repo) -> Result<()> {
    let counter = Counter::build(repo)?;
    let mut unseen = Vec::new();
    for name in counter.subjects()? {
        let limits = Limits::of([(name.clone(), counter.count(&name, false)?)].into(), compiler());
        let verdict = limits.judge(&name, counter.count(&name, true)?)?;
        println!("slowed by a ninth: {verdict}");
        if !matches!(verdict, Verdict::Above { .. }) {
            unseen.push(name);
        }
    }
    ensure!(unseen.is_empty(), "a slowdown of {} is not seen", unseen.join(", "));
    Ok(())
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
