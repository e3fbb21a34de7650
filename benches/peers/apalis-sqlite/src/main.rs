//! apalis on SQLite.

use std::ops::Range;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use apalis::prelude::*;
use apalis_sqlite::{Config, SqlitePool, SqliteStorage};
use futures::StreamExt;
use peers_common::{Job, Peer, Producer, Profile, Setup, handled, run_worker};
use sqlx::sqlite::SqlitePoolOptions;
use ulid::Ulid;

const QUEUE: &str = "peers";
/// Tasks of one fetch, and handlers, where throughput alone counts.
const AT_ONCE: usize = 500;
const POLL: Duration = Duration::from_millis(5);
/// The default of the pool.
const CONNECTIONS: u32 = 10;
/// With more than one, a busy producer gets the error that the database is locked.
const CONNECTIONS_TUNED: u32 = 1;

struct Apalis(SqlitePool);

impl Peer for Apalis {
    type Producer = ApalisProducer;

    async fn open(setup: &Setup) -> Result<Self> {
        let url = format!("sqlite://{}?mode=rwc", setup.path("jobs.db").display());
        let connections = match setup.profile() {
            Profile::Default => CONNECTIONS,
            Profile::Tuned => CONNECTIONS_TUNED,
        };
        let pool = SqlitePoolOptions::new().max_connections(connections).connect(&url).await?;
        SqliteStorage::setup(&pool).await?;
        Ok(Self(pool))
    }

    fn producer(&self) -> ApalisProducer {
        ApalisProducer(SqliteStorage::new(&self.0).with_config(Config::default().queue(QUEUE)))
    }

    async fn start_worker(&self, profile: Profile) -> Result<()> {
        let storage = SqliteStorage::<Job>::new(&self.0);
        let config = Config::default().queue(QUEUE);
        match profile {
            Profile::Default => {
                let builder = WorkerBuilder::new("worker").backend(storage.with_config(config));
                let worker = builder.build(handle);
                run_worker(async move { worker.run().await });
            }
            Profile::Tuned => {
                let config = config.batch_size(AT_ONCE).lock_tasks(false);
                let polled = storage.with_config(config).poll_with_interval(POLL);
                let builder = WorkerBuilder::new("worker").backend(polled).concurrency(AT_ONCE);
                let worker = builder.build(handle);
                run_worker(async move { worker.run().await });
            }
        }
        Ok(())
    }

    async fn unfinished(&self) -> Result<u64> {
        let sql = "SELECT count(*) FROM Jobs WHERE status <> 'Done'";
        let (count,): (i64,) = sqlx::query_as(sql).fetch_one(&self.0).await?;
        Ok(count.try_into()?)
    }

    fn settings(&self, profile: Profile) -> String {
        let durability = "its setup() sets WAL and synchronous=OFF on one connection of the pool, so that a power cut can damage the file";
        match profile {
            Profile::Default => {
                format!("the worker of its README: batches of 10, no poll strategy; {durability}")
            }
            Profile::Tuned => format!(
                "batches of {AT_ONCE}, concurrency {AT_ONCE}, poll every 5 ms, without task locks, one connection; {durability}"
            ),
        }
    }
}

struct ApalisProducer(SqliteStorage<Job>);

impl Producer for ApalisProducer {
    async fn enqueue(&mut self, n: u64) -> Result<()> {
        Ok(self.0.push(Job::new(n)).await?)
    }

    async fn enqueue_many(&mut self, numbers: Range<u64>) -> Result<()> {
        Ok(self.0.push_bulk(numbers.map(Job::new).collect()).await?)
    }

    async fn call(&mut self, n: u64) -> Result<()> {
        let id = TaskId::from_ulid(Ulid::generate());
        self.0.push_task(TaskBuilder::new(Job::new(n)).task_id(id.clone()).build()).await?;
        let mut results = WaitForCompletion::<u64>::wait_for_single(&mut self.0, id);
        let status = results.next().await.context("no result")??;
        ensure!(status.result == Ok(n), "the result of {n} is {:?}", status.result);
        Ok(())
    }
}

async fn handle(job: Job) -> Result<u64, BoxDynError> {
    handled(job.n);
    Ok(job.n)
}

fn main() -> ExitCode {
    peers_common::main::<Apalis>()
}
