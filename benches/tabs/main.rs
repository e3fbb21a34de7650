//! Measures what open tabs of the dashboard cost a store that works, and prints a table in
//! Markdown: turns without tabs and with them, in one run.
//!
//! The store, the load and the dashboard are one process, the tabs another; both share the machine.
//! The calls of pages are counted where they reach the store.
//!
//! `cargo xtask bench tabs` runs it for all stores, with a server that waits for the disk.

mod counted;
mod load;
mod server;
mod tab;

use anyhow::Context as _;
use clap::Parser;
use server::{ServerProcess, Tally};
use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{task::JoinSet, time::sleep};

/// Until streams are open, or closed.
const SETTLING: Duration = Duration::from_secs(2);
/// The length of a tick of `/proc`.
const TICKS_PER_SECOND: f64 = 100.0;
/// The pages that are open, in turn, each with the stream of its changes.
const PAGES: [(&str, &str); 2] = [("/", "/changes"), ("/queue?queue=load", "/changes?queue=load")];

/// What open tabs cost.
#[derive(Debug, Parser)]
struct TabsCli {
    /// The stores to measure
    #[arg(long = "store", value_enum)]
    stores: Vec<TabbedStore>,
    /// How many tabs are open
    #[arg(long, default_value_t = 50)]
    tabs: usize,
    /// How many jobs a second are enqueued and completed, if the store can
    #[arg(long, default_value_t = 5_000)]
    rate: u64,
    /// How long a turn is
    #[arg(long, default_value_t = 8)]
    seconds: u64,
    /// How many turns there are without tabs, and with them
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// The measured process; started by the program itself
    #[arg(long, hide = true, value_name = "URL")]
    serve: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum TabbedStore {
    Memory,
    Sqlite,
    Postgres,
}

impl TabbedStore {
    fn url(self, folder: &Path) -> anyhow::Result<String> {
        Ok(match self {
            Self::Memory => "memory:".to_owned(),
            Self::Sqlite => format!("sqlite:{}", folder.join("jobs.db").display()),
            Self::Postgres => std::env::var("QUEUE_TEST_POSTGRES_URL").context("a server")?,
        })
    }
}

/// Sums of all turns of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Turns {
    seconds: f64,
    cpu_seconds: f64,
    jobs: u64,
    calls: u64,
    pages: u64,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let cli = TabsCli::parse();
    if let Some(url) = &cli.serve {
        return server::serve(url, cli.rate).await;
    }
    println!("| store | tabs | jobs/s | CPU of the process | pages/s | calls of the store/s by pages |");
    println!("|---|---:|---:|---:|---:|---:|");
    for store in &cli.stores {
        let folder = tempfile::tempdir()?;
        let mut process = ServerProcess::start(&store.url(folder.path())?, cli.rate).await?;
        sleep(SETTLING).await;
        let (mut without, mut with) = (Turns::default(), Turns::default());
        for _ in 0..cli.rounds {
            turn(&mut process, 0, cli.seconds, &mut without).await?;
            turn(&mut process, cli.tabs, cli.seconds, &mut with).await?;
        }
        row(*store, 0, without);
        row(*store, cli.tabs, with);
        let ratio = with.rate(with.jobs) / without.rate(without.jobs);
        println!("| | | {:.1} % of that without | | | |", ratio * 100.0);
    }
    Ok(())
}

async fn turn(process: &mut ServerProcess, tabs: usize, seconds: u64, sum: &mut Turns) -> anyhow::Result<()> {
    let pages = Arc::new(AtomicU64::new(0));
    let mut open = JoinSet::new();
    for number in 0..tabs {
        let (page, changes) = PAGES[number % PAGES.len()];
        open.spawn(tab::open(process.address.clone(), page, changes, pages.clone()));
    }
    sleep(SETTLING).await;
    let (before, cpu, read) =
        (process.tally().await?, cpu_seconds(&process.id()), pages.load(Ordering::Relaxed));
    let began = tokio::time::Instant::now();
    sleep(Duration::from_secs(seconds)).await;
    let Tally { jobs, calls } = process.tally().await?;
    sum.seconds += began.elapsed().as_secs_f64();
    sum.cpu_seconds += cpu_seconds(&process.id()) - cpu;
    sum.jobs += jobs - before.jobs;
    sum.calls += calls - before.calls;
    sum.pages += pages.load(Ordering::Relaxed) - read;
    if let Some(ended) = open.try_join_next() {
        ended??;
    }
    open.shutdown().await;
    Ok(())
}

impl Turns {
    #[expect(clippy::cast_precision_loss, reason = "counts of seconds")]
    fn rate(&self, count: u64) -> f64 {
        count as f64 / self.seconds
    }
}

fn row(store: TabbedStore, tabs: usize, turns: Turns) {
    println!(
        "| {store:?} | {tabs} | {:.0} | {:.1} % of a core | {:.1} | {:.1} |",
        turns.rate(turns.jobs),
        turns.cpu_seconds / turns.seconds * 100.0,
        turns.rate(turns.pages),
        turns.rate(turns.calls)
    );
}

/// The processor time of a process so far.
fn cpu_seconds(process: &str) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks = fields.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok());
    ticks.sum::<f64>() / TICKS_PER_SECOND
}

#[cfg(test)]
mod tests {
    use super::TabsCli;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        TabsCli::command().debug_assert();
    }
}
