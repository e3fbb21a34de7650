//! apalis on Postgres.

use std::ops::Range;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use apalis::prelude::*;
use apalis_postgres::{Config, PgPool, PostgresStorage};
use futures::StreamExt;
use peers_common::{Job, Peer, Producer, Profile, Setup, handled, run_worker};
use ulid::Ulid;

const QUEUE: &str = "peers";
/// Tasks of one fetch, and handlers, where throughput alone counts.
const AT_ONCE: usize = 500;

struct Apalis {
    url: String,
    pool: PgPool,
}

impl Peer for Apalis {
    type Producer = ApalisProducer;

    async fn open(setup: &Setup) -> Result<Self> {
        let url = setup.url().to_owned();
        let pool = PgPool::connect(&url).await?;
        PostgresStorage::setup(&pool).await?;
        Ok(Self { url, pool })
    }

    fn producer(&self) -> ApalisProducer {
        let storage = PostgresStorage::new(&self.pool);
        ApalisProducer(storage.with_config(Config::default().queue(QUEUE)))
    }

    async fn start_worker(&self, profile: Profile) -> Result<()> {
        let pool = PgPool::connect(&self.url).await?;
        let storage = PostgresStorage::<Job>::new(&pool);
        let config = Config::default().queue(QUEUE);
        match profile {
            Profile::Default => {
                let builder = WorkerBuilder::new("worker").backend(storage.with_config(config));
                let worker = builder.build(handle);
                run_worker(async move { worker.run().await });
            }
            Profile::Tuned => {
                let config = config.batch_size(AT_ONCE).lock_tasks(false);
                let notified = storage.with_config(config).with_pubsub();
                let builder = WorkerBuilder::new("worker").backend(notified).concurrency(AT_ONCE);
                let worker = builder.build(handle);
                run_worker(async move { worker.run().await });
            }
        }
        Ok(())
    }

    async fn unfinished(&self) -> Result<u64> {
        let sql = "SELECT count(*) FROM apalis.jobs WHERE job_type = 'peers' AND status <> 'Done'";
        let (count,): (i64,) = sqlx::query_as(sql).fetch_one(&self.pool).await?;
        Ok(count.try_into()?)
    }

    fn settings(&self, profile: Profile) -> String {
        match profile {
            Profile::Default => "the worker of its README: batches of 10, no poll strategy".to_owned(),
            Profile::Tuned => {
                format!("batches of {AT_ONCE}, concurrency {AT_ONCE}, LISTEN and NOTIFY, without task locks")
            }
        }
    }
}

struct ApalisProducer(PostgresStorage<Job>);

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
