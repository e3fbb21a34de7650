//! `cargo xtask bench`: measures every store with servers of its own, and writes
//! `docs/BENCHMARKS.md` from what it kept.
//!
//! What is measured and how the page comes about is the business of the program in `benches/`; this
//! starts the servers with the durability that a row is named after, and says where everything
//! goes.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;

use crate::command;
use crate::repo::Repo;
use crate::services::{self, Durability};

/// A store as the program in `benches/` names it.
#[derive(Clone, Copy)]
struct Store {
    name: &'static str,
    server: Option<(&'static str, Durability)>,
}

const STORES: &[Store] = &[
    Store { name: "memory", server: None },
    Store { name: "file", server: None },
    Store { name: "sqlite-full", server: None },
    Store { name: "sqlite-normal", server: None },
    Store { name: "postgres", server: Some(("postgres", Durability::Disk)) },
    Store { name: "redis", server: Some(("redis", Durability::None)) },
    Store { name: "redis-always", server: Some(("redis", Durability::Disk)) },
];

/// What `--quick` shows, unless something is named.
const QUICK: &[&str] =
    &["enqueue_seq", "enqueue_c64", "enqueue_batch", "drain", "pickup", "call", "call_c50"];
/// The stores before which the service is measured, and the server of each run.
const SERVED: &[(&[&str], Option<&str>)] =
    &[(&["memory", "sqlite", "files"], None), (&["postgres"], Some("postgres")), (&["redis"], Some("redis"))];
/// The stores that work while tabs are open, in the same form.
const LOOKED_AT: &[(&[&str], Option<&str>)] =
    &[(&["memory", "sqlite"], None), (&["postgres"], Some("postgres"))];
const ROUNDS: u32 = 3;
const QUICK_DIVIDE: u32 = 4;

#[derive(Args)]
pub(crate) struct Wanted {
    /// Scenarios and stores, in any order; all of them unless named. `page` measures nothing and
    /// writes the page again; `service` measures the service over HTTP, `strangers` a part of that,
    /// `tabs` what open pages of the dashboard cost, and `telemetry` what metrics cost a job; these
    /// print tables
    #[arg(value_name = "SCENARIO|STORE|page|service|strangers|tabs|telemetry")]
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

/// Where everything goes. A quick look goes below the target folder: one round must not replace the
/// medians of several.
struct Places {
    results: PathBuf,
    /// What processor times are compared with.
    before: Option<PathBuf>,
    page: PathBuf,
}

pub(crate) fn run(repo: &Repo, wanted: &Wanted) -> Result<()> {
    match wanted.words.as_slice() {
        [word] if word == "service" => return before_stores(repo, &["service"], SERVED),
        [word] if word == "strangers" => return before_stores(repo, &["service", "--strangers"], SERVED),
        [word] if word == "tabs" => return before_stores(repo, &["tabs"], LOOKED_AT),
        [word] if word == "telemetry" => return telemetry(repo),
        _ => {}
    }
    let folder = folder(repo)?;
    let places = if wanted.quick {
        let [results, page] = ["quick/results", "quick/BENCHMARKS.md"].map(|path| folder.join(path));
        Places { results, before: None, page }
    } else {
        let [results, page] = ["benches/results", "docs/BENCHMARKS.md"].map(|path| repo.root().join(path));
        Places { before: Some(results.join("before")), results, page }
    };
    let program = built(repo, "queue-benches")?;
    if !matches!(wanted.words.as_slice(), [word] if word == "page") {
        if wanted.quick && places.results.exists() {
            fs::remove_dir_all(&places.results).context("cannot remove the results of before")?;
        }
        let results = &places.results;
        fs::create_dir_all(results).with_context(|| format!("cannot create {}", results.display()))?;
        let (stores, scenarios) = wanted.stores_and_scenarios();
        for store in stores {
            let mut command = Command::new(&program);
            command.args(wanted.arguments(store, &scenarios)).arg("--keep").arg(&places.results);
            measure(repo, store, command.current_dir(&folder))?;
        }
    }
    let mut page = Command::new(program);
    page.arg("page").arg("--results").arg(&places.results);
    page.args(places.before.iter().flat_map(|before| [OsStr::new("--before"), before.as_os_str()]));
    page.arg("--template").arg(repo.root().join("benches/BENCHMARKS.md.in")).arg("--page").arg(&places.page);
    command::run(&mut page)?;
    println!("wrote {}", places.page.display());
    Ok(())
}

/// Measures what metrics cost a job, on every store.
fn telemetry(repo: &Repo) -> Result<()> {
    let (program, folder) = (built(repo, "queue-benches")?, folder(repo)?);
    println!("| store | without, a job | with metrics | more |\n|---|---:|---:|---:|");
    for store in STORES {
        let mut command = Command::new(&program);
        command.args(["telemetry", "--store", store.name]).current_dir(&folder);
        run_beside(repo, store.server, &mut command)?;
    }
    Ok(())
}

/// Measures a server before each store, by a program of its own: its name and arguments.
fn before_stores(repo: &Repo, words: &[&str], all: &[(&[&str], Option<&str>)]) -> Result<()> {
    let (program, folder) = (built(repo, words[0])?, folder(repo)?);
    for (stores, server) in all {
        let mut command = Command::new(&program);
        command.args(&words[1..]).args(stores.iter().flat_map(|store| ["--store", store]));
        // Stores that are files are made on the disk of the work tree, and not in memory.
        command.current_dir(&folder).env("TMPDIR", &folder);
        run_beside(repo, server.map(|server| (server, Durability::Disk)), &mut command)?;
    }
    Ok(())
}

/// Builds a program of `benches/`, and says where it is.
fn built(repo: &Repo, program: &str) -> Result<PathBuf> {
    let build = ["build", "--quiet", "--release", "-p", "queue-benches", "--bin", program];
    command::run(&mut command::cargo(repo, &build))?;
    Ok(repo.target().join("release").join(program))
}

/// The folder for stores that are files, on the disk of the work tree and not in it.
fn folder(repo: &Repo) -> Result<PathBuf> {
    let folder = repo.target().join("bench");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    Ok(folder)
}

/// Runs a program, beside its server if it has one.
fn run_beside(repo: &Repo, server: Option<(&str, Durability)>, command: &mut Command) -> Result<()> {
    match server {
        Some((server, durability)) => services::with_server(repo, server, durability, command),
        None => command::run(command),
    }
}

#[expect(clippy::disallowed_methods, reason = "a command-line tool tells people how long a step took")]
fn measure(repo: &Repo, store: &Store, command: &mut Command) -> Result<()> {
    let start = Instant::now();
    run_beside(repo, store.server, command)?;
    println!("=== {}: {:.0} s", store.name, start.elapsed().as_secs_f64());
    Ok(())
}

impl Wanted {
    /// A word that is no store is a scenario; the program refuses one that it does not know.
    fn stores_and_scenarios(&self) -> (Vec<&'static Store>, Vec<&str>) {
        let words = || self.words.iter().map(String::as_str);
        let is_store = |word: &&str| STORES.iter().any(|store| store.name == *word);
        let scenarios: Vec<&str> = words().filter(|word| !is_store(word)).collect();
        let scenarios = if self.quick && scenarios.is_empty() { QUICK.to_vec() } else { scenarios };
        let is_wanted =
            |store: &&Store| !words().any(|word| is_store(&word)) || words().any(|word| word == store.name);
        (STORES.iter().filter(is_wanted).collect(), scenarios)
    }

    fn arguments(&self, store: &Store, scenarios: &[&str]) -> Vec<String> {
        let (rounds, divide) = if self.quick {
            (1, QUICK_DIVIDE)
        } else {
            (self.rounds.unwrap_or(ROUNDS), self.divide.unwrap_or(1))
        };
        let (rounds, divide) = (rounds.to_string(), divide.to_string());
        let mut arguments = vec!["--store", store.name, "--rounds", &rounds, "--divide", &divide];
        arguments.extend(scenarios.iter().flat_map(|scenario| ["--scenario", *scenario]));
        arguments.into_iter().map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{QUICK, STORES, Wanted};

    fn lines(words: &[&str], quick: bool) -> Vec<String> {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        let wanted = Wanted { words, quick, rounds: None, divide: None };
        let (stores, scenarios) = wanted.stores_and_scenarios();
        stores.iter().map(|store| wanted.arguments(store, &scenarios).join(" ")).collect()
    }

    #[test]
    fn stores_and_scenarios_are_told_apart() {
        let expected = "--store redis --rounds 3 --divide 1 --scenario drain --scenario call";
        assert_eq!(lines(&["drain", "redis", "call"], false), [expected]);
        assert_eq!(lines(&[], false).len(), STORES.len());
    }

    #[test]
    fn a_quick_look_is_short() {
        let quick = &lines(&[], true)[0];
        assert!(quick.contains("--rounds 1 --divide 4"), "{quick}");
        assert!(QUICK.iter().all(|scenario| quick.contains(scenario)), "{quick}");
    }
}
