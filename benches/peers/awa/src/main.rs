//! awa, on its newer engine, queue storage. A fresh schema has the older one until a worker starts
//! on it, which an application does before its first job; so the engine is installed here as well.
//! It keeps no results.

use std::ops::Range;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use anyhow::Result;
use awa::{
    Client, InsertOpts, InsertParams, JobArgs, JobResult, QueueConfig, QueueStorage, QueueStorageConfig,
};
use peers_common::{Job, Peer, Producer, Profile, Setup, handled};
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

const QUEUE: &str = "peers";
/// The settings of awa's own benchmark of throughput.
const WORKERS: u32 = 100;
const POLL: Duration = Duration::from_millis(50);
const CONNECTIONS: u32 = 20;

struct Awa {
    url: String,
    pool: PgPool,
    engine: Arc<QueueStorage>,
    /// The engine counts what has ended, and not what is left.
    enqueued: Arc<AtomicU64>,
}

impl Peer for Awa {
    type Producer = AwaProducer;

    async fn open(setup: &Setup) -> Result<Self> {
        let url = setup.url().to_owned();
        let pool = PgPool::connect(&url).await?;
        awa::model::migrations::run(&pool).await?;
        let engine = QueueStorage::new(QueueStorageConfig::default())?;
        engine.install(&pool).await?;
        Ok(Self { url, pool, engine: Arc::new(engine), enqueued: Arc::default() })
    }

    fn producer(&self) -> AwaProducer {
        let (pool, engine, enqueued) = (self.pool.clone(), self.engine.clone(), self.enqueued.clone());
        AwaProducer { pool, engine, enqueued }
    }

    async fn start_worker(&self, profile: Profile) -> Result<()> {
        let (config, options) = match profile {
            Profile::Default => (QueueConfig::default(), PgPoolOptions::new()),
            Profile::Tuned => {
                let config = QueueConfig {
                    max_workers: WORKERS,
                    poll_interval: POLL,
                    deadline_duration: Duration::ZERO,
                    ..QueueConfig::default()
                };
                (config, PgPoolOptions::new().max_connections(CONNECTIONS))
            }
        };
        let builder = Client::builder(options.connect(&self.url).await?).queue(QUEUE, config);
        let client = builder
            .register::<Task, _, _>(|task, _| async move {
                handled(task.n);
                Ok(JobResult::Completed)
            })
            .build()?;
        client.start().await?;
        std::mem::forget(client);
        Ok(())
    }

    async fn unfinished(&self) -> Result<u64> {
        let ended = self.engine.queue_counts(&self.pool, QUEUE).await?.terminal;
        Ok(self.enqueued.load(SeqCst).saturating_sub(ended.try_into()?))
    }

    fn settings(&self, profile: Profile) -> String {
        match profile {
            Profile::Default => "engine queue storage, 50 workers, poll every 200 ms and NOTIFY".to_owned(),
            Profile::Tuned => format!(
                "engine queue storage, {WORKERS} workers, poll every 50 ms and NOTIFY, no deadlines, {CONNECTIONS} connections"
            ),
        }
    }
}

struct AwaProducer {
    pool: PgPool,
    engine: Arc<QueueStorage>,
    enqueued: Arc<AtomicU64>,
}

impl Producer for AwaProducer {
    async fn enqueue(&mut self, n: u64) -> Result<()> {
        awa::insert_with(&self.pool, &Task::new(n), options()).await?;
        self.enqueued.fetch_add(1, SeqCst);
        Ok(())
    }

    async fn enqueue_many(&mut self, numbers: Range<u64>) -> Result<()> {
        let count = numbers.end - numbers.start;
        let jobs = numbers.map(|n| {
            let args = serde_json::to_value(Task::new(n))?;
            Ok(InsertParams { kind: Task::kind().into(), args, opts: options() })
        });
        self.engine.enqueue_params_copy(&self.pool, &jobs.collect::<Result<Vec<_>>>()?).await?;
        self.enqueued.fetch_add(count, SeqCst);
        Ok(())
    }
}

/// The fields of a job: its arguments have to be a struct with names.
#[derive(Clone, Debug, Deserialize, JobArgs, Serialize)]
struct Task {
    n: u64,
    to: String,
    subject: String,
    body: String,
}

impl Task {
    fn new(n: u64) -> Self {
        let Job { n, to, subject, body } = Job::new(n);
        Self { n, to, subject, body }
    }
}

fn options() -> InsertOpts {
    InsertOpts { queue: QUEUE.into(), ..InsertOpts::default() }
}

fn main() -> ExitCode {
    peers_common::main::<Awa>()
}
