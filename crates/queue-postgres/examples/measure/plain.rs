//! A queue in one table, as one would write it in an afternoon: an index of what is pending, claims
//! with SKIP LOCKED, rows kept when done. No leases that lapse, no fencing, no results to speak of:
//! a floor, not a rival.

use crate::{Outcome, store};
use sqlx::{AssertSqlSafe, PgPool, Row, postgres::PgPoolOptions};
use std::time::Duration;
use tokio::time::Instant;

const TABLES: &str = "
DROP TABLE IF EXISTS plain_queue;
CREATE TABLE plain_queue (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, state smallint NOT NULL DEFAULT 0, run_at timestamptz NOT NULL DEFAULT now(),
  key text NOT NULL UNIQUE, payload bytea NOT NULL, result bytea
);
CREATE INDEX plain_queue_pending ON plain_queue (run_at, id) WHERE state = 0;
";
const ENQUEUE: &str = "INSERT INTO plain_queue (key, payload) SELECT * FROM unnest($1::text[], $2::bytea[])";
const CLAIM: &str = "
WITH picked AS MATERIALIZED (
  SELECT id FROM plain_queue WHERE state = 0 AND run_at <= now() ORDER BY run_at, id LIMIT $1 FOR UPDATE SKIP LOCKED
)
UPDATE plain_queue AS q SET state = 1 FROM picked WHERE q.id = picked.id RETURNING q.id, q.payload";
const SETTLE: &str = "UPDATE plain_queue SET state = 2, result = $2 WHERE id = ANY ($1::bigint[])";

/// The plain queue.
#[derive(Clone, Debug)]
pub(crate) struct Plain(PgPool);

impl Plain {
    pub(crate) async fn open(url: &str) -> Outcome<Self> {
        store::execute(url, TABLES).await?;
        Ok(Self(PgPoolOptions::new().max_connections(8).test_before_acquire(false).connect(url).await?))
    }

    pub(crate) async fn enqueue(&self, first: usize, jobs: usize) -> Outcome {
        let jobs: Vec<_> = (first..first + jobs).map(store::job).collect();
        let keys: Vec<&str> = jobs.iter().map(|job| job.id.as_str()).collect();
        let payloads: Vec<&[u8]> = jobs.iter().map(|job| &job.payload.bytes[..]).collect();
        sqlx::query(AssertSqlSafe(ENQUEUE)).bind(keys).bind(payloads).execute(&self.0).await?;
        Ok(())
    }

    pub(crate) async fn claim(&self, limit: i64) -> Outcome<Vec<i64>> {
        let rows = sqlx::query(AssertSqlSafe(CLAIM)).bind(limit).fetch_all(&self.0).await?;
        Ok(rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?)
    }

    pub(crate) async fn settle(&self, ids: &[i64]) -> Outcome {
        sqlx::query(AssertSqlSafe(SETTLE)).bind(ids).bind(&b"{\"sent\":true}"[..]).execute(&self.0).await?;
        Ok(())
    }

    /// The time for each job of an enqueue, a claim and a settle.
    pub(crate) async fn run(&self, batches: usize, batch: usize) -> Outcome<[Duration; 3]> {
        let jobs = u32::try_from(batches * batch)?;
        let first =
            sqlx::query("SELECT count(*) FROM plain_queue").fetch_one(&self.0).await?.try_get::<i64, _>(0)?;
        let begun = Instant::now();
        for number in 0..batches {
            self.enqueue(usize::try_from(first)? + number * batch, batch).await?;
        }
        let enqueue = begun.elapsed();
        let begun = Instant::now();
        let mut claimed = Vec::new();
        for _ in 0..batches {
            claimed.push(self.claim(i64::try_from(batch)?).await?);
        }
        let claim = begun.elapsed();
        let begun = Instant::now();
        for ids in &claimed {
            self.settle(ids).await?;
        }
        Ok([enqueue / jobs, claim / jobs, begun.elapsed() / jobs])
    }

    pub(crate) async fn size(&self, url: &str) -> Outcome<i64> {
        store::number(url, "SELECT pg_total_relation_size('plain_queue')").await
    }
}
