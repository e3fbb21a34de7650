//! sqlxmq. It keeps no results, and stores jobs one by one.

use std::process::ExitCode;

use anyhow::{Context, Result};
use peers_common::{Job, Peer, Producer, Profile, Setup, handled};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use sqlxmq::{CurrentJob, JobRegistry};

/// As few running jobs as make the runner fetch more, and as many as it runs, where throughput
/// alone counts.
const CONCURRENCY: (usize, usize) = (100, 400);
const CONNECTIONS: u32 = 20;

struct Sqlxmq {
    url: String,
    pool: PgPool,
}

impl Peer for Sqlxmq {
    type Producer = SqlxmqProducer;

    async fn open(setup: &Setup) -> Result<Self> {
        let url = setup.url().to_owned();
        let pool = PgPool::connect(&url).await?;
        for sql in setup.sql_of_library("migrations", ".up.sql")? {
            sqlx::raw_sql(&sql).execute(&pool).await?;
        }
        Ok(Self { url, pool })
    }

    fn producer(&self) -> SqlxmqProducer {
        SqlxmqProducer(self.pool.clone())
    }

    async fn start_worker(&self, profile: Profile) -> Result<()> {
        let (least, most) = CONCURRENCY;
        let registry = JobRegistry::new(&[handle]);
        let runner = match profile {
            Profile::Default => registry.runner(&PgPool::connect(&self.url).await?).run().await?,
            Profile::Tuned => {
                let pool = PgPoolOptions::new().max_connections(CONNECTIONS).connect(&self.url).await?;
                registry.runner(&pool).set_concurrency(least, most).run().await?
            }
        };
        std::mem::forget(runner);
        Ok(())
    }

    /// One of its messages is a mark that it never removes.
    async fn unfinished(&self) -> Result<u64> {
        let sql = "SELECT count(*) FROM mq_msgs WHERE id <> uuid_nil()";
        let (count,): (i64,) = sqlx::query_as(sql).fetch_one(&self.pool).await?;
        Ok(count.try_into()?)
    }

    fn settings(&self, profile: Profile) -> String {
        let (least, most) = CONCURRENCY;
        match profile {
            Profile::Default => "concurrency 16 to 32, NOTIFY; finished jobs removed".to_owned(),
            Profile::Tuned => {
                format!(
                    "concurrency {least} to {most}, {CONNECTIONS} connections, NOTIFY; finished jobs removed"
                )
            }
        }
    }
}

struct SqlxmqProducer(PgPool);

impl Producer for SqlxmqProducer {
    async fn enqueue(&mut self, n: u64) -> Result<()> {
        handle.builder().set_json(&Job::new(n))?.spawn(&self.0).await?;
        Ok(())
    }
}

#[sqlxmq::job]
async fn handle(mut current: CurrentJob) -> Result<()> {
    let job: Job = current.json()?.context("a job has a payload")?;
    handled(job.n);
    current.complete().await?;
    Ok(())
}

fn main() -> ExitCode {
    peers_common::main::<Sqlxmq>()
}
