use crate::{clock::now, store::Bed};
use anyhow::{Context, ensure};
use sqlx::{Connection, Executor, PgConnection, Row, postgres::PgConnectOptions};
use std::{str::FromStr, time::Duration};

/// One table of payloads of this connection's own.
pub(super) struct Floor {
    connection: PgConnection,
}

impl Floor {
    pub(super) async fn open(bed: &Bed) -> anyhow::Result<Self> {
        let server = bed.url.split("schema=").next().context("a URL")?.trim_end_matches(['?', '&']);
        let mut connection = PgConnection::connect_with(&PgConnectOptions::from_str(server)?).await?;
        // Not a temporary table, which would write no log.
        connection.execute("DROP TABLE IF EXISTS bench_floor").await?;
        connection
            .execute("CREATE TABLE bench_floor (id bigserial PRIMARY KEY, payload text NOT NULL)")
            .await?;
        Ok(Self { connection })
    }

    pub(super) async fn insert(&mut self, payloads: &[String], batch: usize) -> anyhow::Result<Duration> {
        let started = now();
        for batch in payloads.chunks(batch) {
            sqlx::query("INSERT INTO bench_floor (payload) SELECT * FROM unnest($1::text[])")
                .bind(batch)
                .execute(&mut self.connection)
                .await?;
        }
        Ok(started.elapsed())
    }

    /// Takes the oldest, as many at a time.
    pub(super) async fn take(&mut self, batch: usize, count: usize) -> anyhow::Result<Duration> {
        let started = now();
        let mut taken = 0;
        while taken < count {
            let rows = sqlx::query(
                "WITH due AS MATERIALIZED (SELECT id FROM bench_floor ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)
                 DELETE FROM bench_floor USING due WHERE bench_floor.id = due.id RETURNING payload",
            )
            .bind(i64::try_from(batch)?)
            .fetch_all(&mut self.connection)
            .await?;
            ensure!(!rows.is_empty(), "the table is empty after {taken} of {count}");
            taken += rows.len();
        }
        let elapsed = started.elapsed();
        self.connection.execute("DROP TABLE bench_floor").await?;
        Ok(elapsed)
    }

    /// Tables and indexes of the bed's schema.
    pub(super) async fn size(&mut self, bed: &Bed) -> anyhow::Result<u64> {
        let schema = bed.url.split("schema=").nth(1).context("a URL with a schema")?;
        let row = sqlx::query(
            "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
             JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'",
        )
        .bind(schema)
        .fetch_one(&mut self.connection)
        .await?;
        Ok(u64::try_from(row.try_get::<i64, _>(0)?)?)
    }
}
