//! A worker of each client behind a proxy that answers some of its calls with pages of its own, as
//! an ingress, a login page or a firewall does: no job may fail, be lost or run twice for that.

mod judge;
mod page_proxy;
mod worker;

use crate::{
    clients::{Access, Server},
    failed::{Failed, require},
    many::{StoreKind, StorePlace},
};
use clap::Args;
use futures_util::future::try_join_all;
use judge::Verdict;
use page_proxy::PageProxy;
use queue::{Id, JobId, JobOptions, Queue, Storage};
use std::{path::PathBuf, sync::Arc, time::Duration};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};
use worker::{Place, Programs, Running};

pub(crate) use worker::Language;

/// The queue of all jobs.
const QUEUE: &str = "workload";
/// The jobs of one enqueue.
const BATCH: usize = 1000;
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// The longest time in which no job ends: longer than the lease of a lost claim.
const STILL_MAX: Duration = Duration::from_mins(2);

#[derive(Args, Debug)]
pub(crate) struct PagesArgs {
    /// How many jobs each worker runs
    #[arg(long, default_value_t = 10_000)]
    jobs: usize,
    /// One call in so many is answered with a page
    #[arg(long, default_value_t = 50)]
    one_in: u64,
    /// Whose worker; all of them if this is absent
    #[arg(long, value_enum)]
    worker: Vec<Language>,
    /// The store; those on servers need `cargo xtask services run postgres -- ..`
    #[arg(long, default_value = "sqlite")]
    store: StoreKind,
    /// The `queue` program
    #[arg(long)]
    program: PathBuf,
    /// A Python that has the packages of the client
    #[arg(long, default_value = "python3")]
    python: PathBuf,
    #[arg(long, default_value = "node")]
    node: PathBuf,
    /// The folder `clients` of the work tree
    #[arg(long, default_value = "clients")]
    clients: PathBuf,
}

pub(crate) async fn run(settings: &PagesArgs) -> Result<(), Failed> {
    let all = [Language::Rust, Language::Queue, Language::Python, Language::Node];
    let chosen = if settings.worker.is_empty() { &all[..] } else { &settings.worker };
    println!("pages: {} jobs, one call in {} on {}", settings.jobs, settings.one_in, settings.store);
    // Each has a store and a server of its own, and waits for most of its time.
    let verdicts = try_join_all(chosen.iter().map(async |&language| {
        let verdict = run_one(settings, language).await.map_err(|error| format!("{language:?}: {error}"))?;
        println!("  {language:?}: {verdict}");
        Ok::<_, Failed>(verdict)
    }));
    let wrong = verdicts.await?.iter().filter(|verdict| !verdict.is_right()).count();
    require(wrong == 0, || format!("{wrong} workers did wrong"))
}

async fn run_one(settings: &PagesArgs, language: Language) -> Result<Verdict, Failed> {
    let place = StorePlace::fresh(settings.store)?;
    let store = place.open().await?;
    fill(&store, settings.jobs).await?;
    let access = Access::make(&settings.program).await?;
    let mut server = Server::start(&access, &place.url).await?;
    let proxy = PageProxy::start(server.address, settings.one_in).await?;
    let directory = TempDir::new()?;
    let around = Place {
        url: format!("http://{}", proxy.address),
        token_file: access.token_file(),
        runs: directory.path().join("runs"),
        told: directory.path().join("told"),
    };
    let programs = Programs {
        queue: &settings.program,
        python: &settings.python,
        node: &settings.node,
        clients: &settings.clients,
    };
    let mut worker = Running::start(language, &programs, &around).await?;
    let queue: Queue<u64> = Queue::new(store.clone(), QUEUE)?;
    let (mut left, mut moved) = (settings.jobs, Instant::now());
    while left > 0 {
        worker.check()?;
        sleep(LOOK_EVERY).await;
        let now = usize::try_from(queue.counts().await?.unfinished())?;
        if now != left {
            (left, moved) = (now, Instant::now());
        }
        require(moved.elapsed() < STILL_MAX, || format!("{left} jobs are not done"))?;
    }
    worker.stop().await?;
    server.kill().await?;
    let verdict = Verdict::of(&queue, settings.jobs, &around.runs, proxy.counts()).await?;
    store.close().await?;
    Ok(verdict)
}

async fn fill(store: &Arc<dyn Storage>, jobs: usize) -> Result<(), Failed> {
    let queue: Queue<u64> = Queue::new(store.clone(), QUEUE)?;
    let ids: Vec<JobId> = (0..jobs).map(|number| JobId::new(number.to_string())).collect::<Result<_, _>>()?;
    for batch in ids.chunks(BATCH) {
        let batch = batch.iter().map(|id| (Id::Given(id.clone()), 7));
        queue.enqueue_many(batch, JobOptions::new()).await?;
    }
    Ok(())
}
