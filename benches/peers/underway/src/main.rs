//! underway, by its tasks: a job of steps, which its README shows first, is such a task, and cannot
//! be stored with many others at once. It has no wait for a result.

use std::ops::Range;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use peers_common::{Job, Peer, Producer, Profile, Setup, handled, run_worker};
use sqlx::postgres::PgPoolOptions;
use sqlx::{PgPool, Postgres, Transaction};
use underway::{Queue, Task, Worker};

const QUEUE: &str = "peers";
/// Handlers, and connections, where throughput alone counts.
const CONCURRENCY: usize = 24;
const CONNECTIONS: u32 = 32;

struct Underway {
    url: String,
    pool: PgPool,
    queue: Arc<Queue<Handler>>,
}

impl Peer for Underway {
    type Producer = UnderwayProducer;

    async fn open(setup: &Setup) -> Result<Self> {
        let url = setup.url().to_owned();
        let pool = PgPool::connect(&url).await?;
        underway::run_migrations(&pool).await?;
        let queue = Queue::builder().name(QUEUE).pool(pool.clone()).build().await?;
        Ok(Self { queue: Arc::new(queue), url, pool })
    }

    fn producer(&self) -> UnderwayProducer {
        UnderwayProducer { queue: self.queue.clone(), pool: self.pool.clone() }
    }

    async fn start_worker(&self, profile: Profile) -> Result<()> {
        let options = match profile {
            Profile::Default => PgPoolOptions::new(),
            Profile::Tuned => PgPoolOptions::new().max_connections(CONNECTIONS),
        };
        let pool = options.connect(&self.url).await?;
        let queue = Queue::builder().name(QUEUE).pool(pool).build().await?;
        let mut worker = Worker::new(Arc::new(queue), Handler);
        if profile == Profile::Tuned {
            worker.set_concurrency_limit(CONCURRENCY);
        }
        run_worker(async move { worker.run().await });
        Ok(())
    }

    async fn unfinished(&self) -> Result<u64> {
        let sql = "SELECT count(*) FROM underway.task WHERE state::text <> 'succeeded'";
        let (count,): (i64,) = sqlx::query_as(sql).fetch_one(&self.pool).await?;
        Ok(count.try_into()?)
    }

    fn settings(&self, profile: Profile) -> String {
        match profile {
            Profile::Default => "tasks, a handler for each processor, NOTIFY".to_owned(),
            Profile::Tuned => format!("tasks, concurrency {CONCURRENCY}, {CONNECTIONS} connections, NOTIFY"),
        }
    }
}

struct UnderwayProducer {
    queue: Arc<Queue<Handler>>,
    pool: PgPool,
}

impl Producer for UnderwayProducer {
    async fn enqueue(&mut self, n: u64) -> Result<()> {
        self.queue.enqueue(&self.pool, &Handler, &Job::new(n)).await?;
        Ok(())
    }

    async fn enqueue_many(&mut self, numbers: Range<u64>) -> Result<()> {
        let jobs: Vec<Job> = numbers.map(Job::new).collect();
        self.queue.enqueue_multi(&self.pool, &Handler, &jobs).await?;
        Ok(())
    }
}

#[derive(Clone, Copy)]
struct Handler;

impl Task for Handler {
    type Input = Job;
    type Output = ();

    async fn execute(&self, _: Transaction<'_, Postgres>, job: Job) -> underway::task::Result<()> {
        handled(job.n);
        Ok(())
    }
}

fn main() -> ExitCode {
    peers_common::main::<Underway>()
}
