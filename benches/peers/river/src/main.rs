//! River for Rust, on Postgres and on SQLite. It keeps outputs of jobs, but has no call that waits
//! for one, so callers ask for the state of their job.

use std::ops::Range;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use peers_common::{Job, Peer, Producer, Profile, Setup, handled};
use riverqueue::migrate::{PostgresMigrator, SqliteMigrator};
use riverqueue::sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions};
use riverqueue::sqlx::{self, PgPool, SqlitePool};
use riverqueue::{
    BoxError, Client, ClientBuilder, Job as RiverJob, JobArgs, JobState, QueueConfig, WorkContext,
    WorkOutcome, Workers,
};
use serde::{Deserialize, Serialize};

const QUEUE: &str = "default";
/// As in its README.
const WORKERS: usize = 10;
/// Where throughput alone counts.
const WORKERS_TUNED: usize = 1000;
const COOLDOWN: Duration = Duration::from_millis(1);
/// Of a SQLite file, as its README recommends.
const BUSY_MAX: Duration = Duration::from_secs(5);
const CONNECTIONS: u32 = 5;
/// How often a caller asks for the state of its job.
const ASK_EVERY: Duration = Duration::from_millis(1);
const UNFINISHED: &str = "SELECT count(*) FROM river_job WHERE state <> 'completed'";

struct River {
    database: Database,
    client: Client,
}

impl Peer for River {
    type Producer = RiverProducer;

    async fn open(setup: &Setup) -> Result<Self> {
        let database = Database::open(setup).await?;
        database.migrate().await?;
        Ok(Self { client: database.client().build()?, database })
    }

    fn producer(&self) -> RiverProducer {
        RiverProducer(self.client.clone())
    }

    async fn start_worker(&self, profile: Profile) -> Result<()> {
        let mut workers = Workers::new();
        workers.add_fn(handle)?;
        let builder = self.database.another().await?.client().workers(workers);
        let builder = match profile {
            Profile::Default => builder.queue(QUEUE, QueueConfig::new(WORKERS)),
            Profile::Tuned => builder.fetch_cooldown(COOLDOWN).queue(QUEUE, QueueConfig::new(WORKERS_TUNED)),
        };
        builder.build()?.start()?.detach();
        Ok(())
    }

    async fn unfinished(&self) -> Result<u64> {
        let (count,): (i64,) = match &self.database {
            Database::Postgres(_, pool) => sqlx::query_as(UNFINISHED).fetch_one(pool).await?,
            Database::Sqlite(pool) => sqlx::query_as(UNFINISHED).fetch_one(pool).await?,
        };
        Ok(count.try_into()?)
    }

    fn settings(&self, profile: Profile) -> String {
        let journal = match &self.database {
            Database::Postgres(..) => "",
            Database::Sqlite(_) => ", WAL, synchronous=FULL, 5 connections",
        };
        match profile {
            Profile::Default => format!("{WORKERS} workers, at least 100 ms between fetches{journal}"),
            Profile::Tuned => format!("{WORKERS_TUNED} workers, at least 1 ms between fetches{journal}"),
        }
    }
}

/// With its URL, where a worker has connections of its own.
enum Database {
    Postgres(String, PgPool),
    Sqlite(SqlitePool),
}

impl Database {
    async fn open(setup: &Setup) -> Result<Self> {
        match setup.store.as_str() {
            "postgres" => Ok(Self::Postgres(setup.url().to_owned(), PgPool::connect(setup.url()).await?)),
            "sqlite" => {
                let options = SqliteConnectOptions::new().filename(setup.path("jobs.db"));
                let options = options.create_if_missing(true).journal_mode(SqliteJournalMode::Wal);
                let pool = SqlitePoolOptions::new().max_connections(CONNECTIONS);
                Ok(Self::Sqlite(pool.connect_with(options.busy_timeout(BUSY_MAX)).await?))
            }
            other => bail!("no store {other}"),
        }
    }

    async fn another(&self) -> Result<Self> {
        Ok(match self {
            Self::Postgres(url, _) => Self::Postgres(url.clone(), PgPool::connect(url).await?),
            Self::Sqlite(pool) => Self::Sqlite(pool.clone()),
        })
    }

    async fn migrate(&self) -> Result<()> {
        match self {
            Self::Postgres(_, pool) => drop(PostgresMigrator::new(pool.clone()).migrate_up().await?),
            Self::Sqlite(pool) => drop(SqliteMigrator::new(pool.clone()).migrate_up().await?),
        }
        Ok(())
    }

    fn client(&self) -> ClientBuilder {
        match self {
            Self::Postgres(_, pool) => Client::builder(pool),
            Self::Sqlite(pool) => Client::builder(pool),
        }
    }
}

struct RiverProducer(Client);

impl Producer for RiverProducer {
    async fn enqueue(&mut self, n: u64) -> Result<()> {
        self.0.insert(Task::new(n)).await?;
        Ok(())
    }

    async fn enqueue_many(&mut self, numbers: Range<u64>) -> Result<()> {
        self.0.insert_many(numbers.map(Task::new)).await?;
        Ok(())
    }

    async fn call(&mut self, n: u64) -> Result<()> {
        let id = self.0.insert(Task::new(n)).await?.job.id();
        loop {
            match self.0.jobs().get(id).await?.state {
                JobState::Completed => return Ok(()),
                JobState::Cancelled | JobState::Discarded => bail!("job {n} did not succeed"),
                _ => tokio::time::sleep(ASK_EVERY).await,
            }
        }
    }
}

/// The fields of a job: its arguments have to be a struct with names.
#[derive(Clone, Debug, Deserialize, JobArgs, Serialize)]
#[river(kind = "job")]
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

async fn handle(context: WorkContext, job: RiverJob<Task>) -> Result<WorkOutcome, BoxError> {
    handled(job.args.n);
    context.record_output(serde_json::json!(job.args.n))?;
    Ok(WorkOutcome::Complete)
}

fn main() -> ExitCode {
    peers_common::main::<River>()
}
