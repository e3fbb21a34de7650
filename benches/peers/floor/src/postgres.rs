//! The floor of Postgres: one table of payloads, and a notification that carries one.

use std::ops::Range;

use anyhow::Result;
use peers_common::{Job, Peer, Producer, Profile, Setup, Workload, handled, run_worker};
use sqlx::PgPool;
use sqlx::postgres::{PgListener, PgPoolOptions};

use crate::{ENQUEUE, json, require, settings};

/// As many as our store opens by default.
const CONNECTIONS: u32 = 10;
const CREATE: &str =
    "CREATE TABLE job (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, payload bytea NOT NULL)";
const INSERT: &str = "INSERT INTO job (payload) VALUES ($1)";
const INSERT_MANY: &str = "INSERT INTO job (payload) SELECT unnest($1::bytea[])";
const INSERT_AND_NOTIFY: &str = "
    WITH stored AS (INSERT INTO job (payload) VALUES ($1) RETURNING payload)
    SELECT pg_notify('job', convert_from(payload, 'UTF8')) FROM stored";
const COUNT: &str = "SELECT count(*) FROM job";
const CHANNEL: &str = "job";

pub(crate) struct PostgresFloor {
    url: String,
    pool: PgPool,
    insert: &'static str,
}

impl Peer for PostgresFloor {
    type Producer = PostgresProducer;

    /// All connections are open before the measurement, and no call asks first whether one lives.
    async fn open(setup: &Setup) -> Result<Self> {
        require(setup, &[ENQUEUE, &[Workload::Pickup]])?;
        let pool = PgPoolOptions::new().min_connections(CONNECTIONS).max_connections(CONNECTIONS);
        let pool = pool.test_before_acquire(false).connect(setup.url()).await?;
        sqlx::query(CREATE).execute(&pool).await?;
        let insert = if setup.workload() == Workload::Pickup { INSERT_AND_NOTIFY } else { INSERT };
        Ok(Self { url: setup.url().to_owned(), pool, insert })
    }

    fn producer(&self) -> PostgresProducer {
        PostgresProducer { pool: self.pool.clone(), insert: self.insert }
    }

    async fn start_worker(&self, _: Profile) -> Result<()> {
        let mut listener = PgListener::connect(&self.url).await?;
        listener.listen(CHANNEL).await?;
        run_worker(listen(listener));
        Ok(())
    }

    async fn unfinished(&self) -> Result<u64> {
        let count: i64 = sqlx::query_scalar(COUNT).fetch_one(&self.pool).await?;
        Ok(count.try_into()?)
    }

    fn settings(&self, profile: Profile) -> String {
        let words = format!(
            "an INSERT a call, {CONNECTIONS} connections; 1,000 by unnest; pickup is an INSERT with NOTIFY, which carries the job"
        );
        settings(profile, &words)
    }
}

async fn listen(mut listener: PgListener) -> Result<()> {
    loop {
        let notification = listener.recv().await?;
        let job: Job = serde_json::from_str(notification.payload())?;
        handled(job.n);
    }
}

pub(crate) struct PostgresProducer {
    pool: PgPool,
    insert: &'static str,
}

impl Producer for PostgresProducer {
    async fn enqueue(&mut self, n: u64) -> Result<()> {
        sqlx::query(self.insert).bind(json(n)?).execute(&self.pool).await?;
        Ok(())
    }

    async fn enqueue_many(&mut self, numbers: Range<u64>) -> Result<()> {
        let payloads = numbers.map(json).collect::<Result<Vec<_>>>()?;
        sqlx::query(INSERT_MANY).bind(payloads).execute(&self.pool).await?;
        Ok(())
    }
}
