//! `cargo xtask bench`: measures every store with servers of its own, and writes
//! `docs/BENCHMARKS.md` from what it kept.
//!
//! What is measured and how the page comes about is the business of the program in `benches/`; this
//! starts the servers with the durability that a row is named after, and says where everything
//! goes.

mod names;
mod plan;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;

use self::names::{Store, Words};
use self::plan::Plan;
use crate::command;
use crate::repo::Repo;
use crate::services;

#[derive(Args)]
pub(crate) struct Wanted {
    /// Scenarios and stores, in any order; all of them unless named. `page` measures nothing and
    /// writes the page anew
    #[arg(value_name = "SCENARIO|STORE|page")]
    words: Vec<String>,
    /// Enqueue, drain, pickup and call, a quarter of the jobs, one round: below `target/`, so that
    /// the page keeps its figures
    #[arg(long)]
    quick: bool,
    /// Rounds of which the median is shown
    #[arg(long, conflicts_with = "quick")]
    rounds: Option<u32>,
    /// Divides the number of jobs
    #[arg(long, conflicts_with = "quick")]
    divide: Option<u32>,
}

pub(crate) fn run(repo: &Repo, wanted: &Wanted) -> Result<()> {
    let words = Words::parse(&wanted.words);
    let plan = Plan::of(repo, wanted.quick, wanted.rounds, wanted.divide, &words);
    let build = ["build", "--quiet", "--release", "-p", "queue-benches"];
    command::run(&mut command::cargo(repo, &build))?;
    let program = repo.target().join("release/queue-benches");
    if !words.is_page_alone {
        plan.prepare()?;
        for store in words.stores() {
            measure(repo, &program, &plan, store)?;
        }
    }
    command::run(plan.page(&mut Command::new(&program)))?;
    println!("wrote {}", plan.page.display());
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a command-line tool tells people how long a step took")]
fn measure(repo: &Repo, program: &Path, plan: &Plan, store: Store) -> Result<()> {
    let start = Instant::now();
    let folder = working_folder(repo)?;
    let mut command = Command::new(program);
    plan.measure(&mut command, store).current_dir(folder);
    match store.server {
        Some((server, durability)) => services::with_server(repo, server, durability, &mut command)?,
        None => command::run(&mut command)?,
    }
    println!("=== {}: {:.0} s", store.name, start.elapsed().as_secs_f64());
    Ok(())
}

/// Where stores that are files are made: on the disk of the work tree, and not in it.
fn working_folder(repo: &Repo) -> Result<PathBuf> {
    let folder = repo.target().join("bench");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    Ok(folder)
}
