//! `cargo xtask planted`: checks against what is wrong on purpose: the conformance suite against
//! stores with a defect, the guard against work with a slowdown, the tests of schedules and of
//! batches against mistakes in their code, the terms of jobs too, and the kill run of clients
//! against a service that settles by id.

mod batches;
mod mistake;
mod page;
mod partitions;
mod partitions_of_postgres;
mod partitions_of_redis;
mod programs;
mod schedules;
mod stale;
mod terms;
mod tree;

use anyhow::Result;
use clap::ValueEnum;
use mistake::Mistake;

use crate::repo::Repo;
use crate::{command, guard};

/// What is tried.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// Stores that break the contract
    Stores,
    /// Work that became slower
    Guard,
    /// Schedules that lose ticks, or run them twice
    Schedules,
    /// Batches that count, call back or stop wrongly
    Batches,
    /// Partitions whose limits or turns are broken
    Partitions,
    /// The same in the functions for Postgres, with `cargo xtask services run postgres --` in front
    PartitionsOfPostgres,
    /// The same in the scripts for Redis, with `cargo xtask services run redis --` in front
    PartitionsOfRedis,
    /// Terms of jobs that are lost on a way
    Terms,
    /// A service that ignores the tokens of receipts
    Stale,
}

/// Each part that is asked for, or all of them. A table is shown as it grows, and written to its
/// page once the part has passed.
pub(crate) fn run(repo: &Repo, part: Option<Part>) -> Result<()> {
    let is_asked_for = |one| part.is_none_or(|part| part == one);
    if is_asked_for(Part::Stores) {
        stores(repo)?;
    }
    if is_asked_for(Part::Guard) {
        slowdowns(repo)?;
    }
    if is_asked_for(Part::Schedules) {
        page::SCHEDULES.write(repo, &mistake::try_all(repo, schedules::MISTAKES)?)?;
    }
    if is_asked_for(Part::Batches) {
        page::BATCHES.write(repo, &mistake::try_all(repo, batches::MISTAKES)?)?;
    }
    if is_asked_for(Part::Partitions) {
        page::PARTITIONS.write(repo, &mistake::try_all(repo, partitions::MISTAKES)?)?;
    }
    if is_asked_for(Part::PartitionsOfPostgres) {
        of_server(repo, "postgres", &page::PARTITIONS_OF_POSTGRES, partitions_of_postgres::MISTAKES)?;
    }
    if is_asked_for(Part::PartitionsOfRedis) {
        of_server(repo, "redis", &page::PARTITIONS_OF_REDIS, partitions_of_redis::MISTAKES)?;
    }
    if is_asked_for(Part::Terms) {
        page::TERMS.write(repo, &mistake::try_all(repo, terms::MISTAKES)?)?;
    }
    if is_asked_for(Part::Stale) {
        stale::run(repo)?;
    }
    Ok(())
}

/// The whole suite on each defect takes a minute or two.
fn stores(repo: &Repo) -> Result<()> {
    let arguments = ["test", "--quiet", "-p", "queue-testkit", "--test", "planted", "--", "--table"];
    page::STORES.write(repo, &command::shown(&mut command::cargo(repo, &arguments))?)
}

/// The part about a store whose server has to run.
fn of_server(repo: &Repo, server: &str, page: &page::Page, mistakes: &[Mistake]) -> Result<()> {
    if std::env::var_os(format!("QUEUE_TEST_{}_URL", server.to_uppercase())).is_none() {
        println!(
            "partitions on {server}: SKIPPED, as no server runs; `cargo xtask services run {server} --` starts one"
        );
        return Ok(());
    }
    page.write(repo, &mistake::try_all(repo, mistakes)?)
}

fn slowdowns(repo: &Repo) -> Result<()> {
    if !guard::is_possible() {
        println!("guard: SKIPPED, as valgrind is not installed");
        return Ok(());
    }
    guard::planted(repo)
}
