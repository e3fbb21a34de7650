//! fang, with its asynchronous workers. It keeps no results, and stores tasks one by one.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, anyhow};
use async_trait::async_trait;
use fang::asynk::async_queue::{AsyncQueue, AsyncQueueable};
use fang::asynk::async_worker_pool::AsyncWorkerPool;
use fang::{AsyncRunnable, FangError, SleepParams};
use peers_common::{Job, Peer, Producer, Profile, Setup, handled};
use serde::{Deserialize, Serialize};
use sqlx::PgPool;

/// Of producers.
const CONNECTIONS: u32 = 10;
/// As in its README, with as many connections.
const WORKERS: u32 = 2;
/// Where throughput alone counts.
const WORKERS_TUNED: u32 = 24;
const POLL: Duration = Duration::from_millis(5);

struct Fang {
    url: String,
    pool: PgPool,
    queue: AsyncQueue,
}

impl Peer for Fang {
    type Producer = FangProducer;

    async fn open(setup: &Setup) -> Result<Self> {
        let url = setup.url().to_owned();
        let pool = PgPool::connect(&url).await?;
        for sql in setup.sql_of_library("postgres_migrations/migrations", "/up.sql")? {
            sqlx::raw_sql(&sql).execute(&pool).await?;
        }
        Ok(Self { queue: connect(&url, CONNECTIONS).await?, url, pool })
    }

    fn producer(&self) -> FangProducer {
        FangProducer(self.queue.clone())
    }

    async fn start_worker(&self, profile: Profile) -> Result<()> {
        match profile {
            Profile::Default => {
                let queue = connect(&self.url, WORKERS).await?;
                AsyncWorkerPool::<AsyncQueue>::builder().number_of_workers(WORKERS).queue(queue).build().start().await;
            }
            Profile::Tuned => {
                let queue = connect(&self.url, WORKERS_TUNED).await?;
                let sleeps = SleepParams {
                    sleep_period: POLL,
                    max_sleep_period: POLL,
                    min_sleep_period: POLL,
                    sleep_step: Duration::ZERO,
                };
                let builder = AsyncWorkerPool::<AsyncQueue>::builder().number_of_workers(WORKERS_TUNED).queue(queue);
                builder.sleep_params(sleeps).build().start().await;
            }
        }
        Ok(())
    }

    async fn unfinished(&self) -> Result<u64> {
        let sql = "SELECT count(*) FROM fang_tasks";
        let (count,): (i64,) = sqlx::query_as(sql).fetch_one(&self.pool).await?;
        Ok(count.try_into()?)
    }

    fn settings(&self, profile: Profile) -> String {
        match profile {
            Profile::Default => {
                format!("{WORKERS} workers, poll every 5 to 15 s; finished tasks removed")
            }
            Profile::Tuned => format!("{WORKERS_TUNED} workers, poll every 5 ms; finished tasks removed"),
        }
    }
}

async fn connect(url: &str, connections: u32) -> Result<AsyncQueue> {
    let mut queue = AsyncQueue::builder().uri(url).max_pool_size(connections).build();
    queue.connect().await.map_err(|error| anyhow!("{error:?}"))?;
    Ok(queue)
}

struct FangProducer(AsyncQueue);

impl Producer for FangProducer {
    async fn enqueue(&mut self, n: u64) -> Result<()> {
        let task = Task(Job::new(n));
        self.0.insert_task(&task).await.map_err(|error| anyhow!("{error:?}"))?;
        Ok(())
    }
}

#[derive(Deserialize, Serialize)]
struct Task(Job);

#[typetag::serde]
#[async_trait]
impl AsyncRunnable for Task {
    async fn run(&self, _: &dyn AsyncQueueable) -> Result<(), FangError> {
        handled(self.0.n);
        Ok(())
    }
}

fn main() -> ExitCode {
    peers_common::main::<Fang>()
}
