//! Three tenants of one queue, of which one floods it: `cargo run -p tenants`.
//!
//! The flood comes first: 300 jobs of one tenant, and only then 10 of each of two others. Without
//! partitions the small ones wait for all of the flood. With the tenant as the partition of its
//! jobs the three take turns, and a limit keeps each of them to two jobs at once.

use queue::{
    JobOptions, Queue, SqliteOptions, SqliteStorage,
    worker::{JobError, Router},
};
use std::{
    collections::BTreeMap,
    error::Error,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::time::sleep;

type Result<T = (), E = Box<dyn Error + Send + Sync>> = std::result::Result<T, E>;

/// The tenants, each with how many jobs it has, in the order in which they enqueue them.
const TENANTS: [(&str, usize); 3] = [("flood", 300), ("acme", 10), ("zeta", 10)];
/// Jobs that the worker runs at once.
const CONCURRENCY: usize = 4;
/// Jobs of a tenant that run at once, over all workers.
const LIMIT: u32 = 2;
/// How long a job takes.
const WORK: Duration = Duration::from_millis(2);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result {
    let place = tempfile::tempdir()?;
    tell("without partitions", &run(place.path(), false).await?);
    tell(&format!("in partitions, at most {LIMIT} at once"), &run(place.path(), true).await?);
    Ok(())
}

/// All jobs, worked on until there is none. Which jobs take turns is the producer's to say.
async fn run(place: &Path, has_partitions: bool) -> Result<Runs> {
    let store = SqliteStorage::open(SqliteOptions::new(place.join("jobs.db"))).await?;
    let name = if has_partitions { "fair" } else { "plain" };
    let reports: Queue<String> = Queue::new(Arc::new(store), name)?;
    if has_partitions {
        reports.limits().each_partition(LIMIT).declare().await?;
    }
    for (tenant, jobs) in TENANTS {
        let options = if has_partitions { JobOptions::new().partition(tenant) } else { JobOptions::new() };
        let all = (0..jobs).map(|number| (format!("{tenant}-{number}"), tenant.to_owned()));
        reports.enqueue_many(all, options).await?;
    }
    let runs = Arc::new(Mutex::new(Runs::default()));
    let seen = runs.clone();
    let router = Router::new(()).fallback(move |tenant: String, _| report(tenant, seen.clone()));
    reports.worker(router).concurrency(CONCURRENCY).until_empty().build()?.run().await;
    let runs = runs.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(runs.clone())
}

/// The work of one job.
async fn report(tenant: String, runs: Arc<Mutex<Runs>>) -> Result<(), JobError> {
    let lock = || runs.lock().unwrap_or_else(PoisonError::into_inner);
    lock().begin(&tenant);
    sleep(WORK).await;
    lock().end(&tenant);
    Ok(())
}

/// What ran, by tenant.
#[derive(Clone, Debug, Default)]
struct Runs {
    started: usize,
    tenants: BTreeMap<String, TenantRuns>,
}

#[derive(Clone, Debug, Default)]
struct TenantRuns {
    running: usize,
    most_at_once: usize,
    /// How many jobs of all tenants had started with its last one.
    last: usize,
}

impl Runs {
    fn begin(&mut self, tenant: &str) {
        self.started += 1;
        let of = self.tenants.entry(tenant.to_owned()).or_default();
        of.running += 1;
        of.most_at_once = of.most_at_once.max(of.running);
        of.last = self.started;
    }

    fn end(&mut self, tenant: &str) {
        self.tenants.entry(tenant.to_owned()).or_default().running -= 1;
    }
}

fn tell(how: &str, Runs { started, tenants }: &Runs) {
    println!("{how}:");
    for (tenant, TenantRuns { most_at_once, last, .. }) in tenants {
        println!("  {tenant}: its last job was number {last} of {started}, at most {most_at_once} at once");
    }
}
