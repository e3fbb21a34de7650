//! apalis on Redis.

use std::ops::Range;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use apalis::prelude::*;
use apalis_redis::{Config, ConnectionManager, RedisStorage};
use futures::StreamExt;
use peers_common::{Job, Peer, Producer, Profile, Setup, handled, run_worker};
use ulid::Ulid;

const QUEUE: &str = "peers";
/// Tasks of one fetch, and handlers, where throughput alone counts.
const AT_ONCE: usize = 500;
const POLL: Duration = Duration::from_millis(5);

struct Apalis {
    url: String,
    connection: ConnectionManager,
}

impl Peer for Apalis {
    type Producer = ApalisProducer;

    async fn open(setup: &Setup) -> Result<Self> {
        let url = setup.url().to_owned();
        Ok(Self { connection: apalis_redis::connect(url.clone()).await?, url })
    }

    fn producer(&self) -> ApalisProducer {
        let storage = RedisStorage::new(self.connection.clone());
        ApalisProducer(storage.with_config(Config::default().queue(QUEUE)))
    }

    async fn start_worker(&self, profile: Profile) -> Result<()> {
        let connection = apalis_redis::connect(self.url.clone()).await?;
        let storage = RedisStorage::<Job>::new(connection);
        let config = Config::default().queue(QUEUE);
        match profile {
            Profile::Default => {
                let builder = WorkerBuilder::new("worker").backend(storage.with_config(config));
                let worker = builder.build(handle);
                run_worker(async move { worker.run().await });
            }
            Profile::Tuned => {
                let config = config.batch_size(AT_ONCE).lock_tasks(false).emit_events(false);
                let polled = storage.with_config(config).poll_with_interval(POLL);
                let builder = WorkerBuilder::new("worker").backend(polled).concurrency(AT_ONCE);
                let worker = builder.build(handle);
                run_worker(async move { worker.run().await });
            }
        }
        Ok(())
    }

    async fn unfinished(&self) -> Result<u64> {
        let mut asked = redis::pipe();
        asked.hlen(format!("{QUEUE}:data")).scard(format!("{QUEUE}:done"));
        let (all, done): (u64, u64) = asked.query_async(&mut self.connection.clone()).await?;
        Ok(all - done)
    }

    fn settings(&self, profile: Profile) -> String {
        match profile {
            Profile::Default => "the worker of its README: batches of 10, no poll strategy".to_owned(),
            Profile::Tuned => {
                format!(
                    "batches of {AT_ONCE}, concurrency {AT_ONCE}, poll every 5 ms, without task locks and events"
                )
            }
        }
    }
}

struct ApalisProducer(RedisStorage<Job>);

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
