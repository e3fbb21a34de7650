//! The floor of the Postgres store: one table of payloads, and the statements that insert and take
//! them.

use crate::{bed::Bed, engine::postgres::connect};
use async_trait::async_trait;
use sqlx::{AssertSqlSafe, Executor, PgConnection, Row};

const INSERT: &str = "INSERT INTO bench_floor (payload) SELECT * FROM unnest($1::text[])";
const TAKE: &str =
    "WITH due AS MATERIALIZED (SELECT id FROM bench_floor ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)
     DELETE FROM bench_floor USING due WHERE bench_floor.id = due.id RETURNING payload";
const CLAIM: &str = "WITH due AS MATERIALIZED (
         SELECT id FROM bench_floor WHERE NOT leased ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)
     UPDATE bench_floor SET leased = true FROM due WHERE bench_floor.id = due.id
     RETURNING bench_floor.id, payload";
const SETTLE: &str = "DELETE FROM bench_floor WHERE id = ANY($1)";

/// One table of payloads.
pub(super) struct PostgresFloor {
    connection: PgConnection,
}

impl PostgresFloor {
    /// Makes the table, in the schema of the bed, with which it goes. Not a temporary one, which
    /// would write no log; half empty, so that a mark stays on its page.
    pub(super) async fn create(bed: &Bed) -> anyhow::Result<Self> {
        let mut floor = Self::join(bed).await?;
        floor
            .connection
            .execute(
                "CREATE TABLE bench_floor (
                     id bigserial PRIMARY KEY, leased boolean NOT NULL DEFAULT false, payload text NOT NULL
                 ) WITH (fillfactor = 50)",
            )
            .await?;
        Ok(floor)
    }

    /// Another connection to the table.
    pub(super) async fn join(bed: &Bed) -> anyhow::Result<Self> {
        let mut connection = connect(&bed.server()?).await?;
        // The name is made of letters and digits by this program.
        connection.execute(AssertSqlSafe(format!("SET search_path TO {}", bed.name))).await?;
        Ok(Self { connection })
    }
}

#[async_trait]
impl super::Floor for PostgresFloor {
    async fn insert(&mut self, payloads: &[String]) -> anyhow::Result<()> {
        sqlx::query(INSERT).bind(payloads).execute(&mut self.connection).await?;
        Ok(())
    }

    async fn take(&mut self, count: usize) -> anyhow::Result<usize> {
        let rows = sqlx::query(TAKE).bind(i64::try_from(count)?).fetch_all(&mut self.connection).await?;
        Ok(rows.len())
    }

    async fn cycle(&mut self, count: usize) -> anyhow::Result<usize> {
        let rows = sqlx::query(CLAIM).bind(i64::try_from(count)?).fetch_all(&mut self.connection).await?;
        let ids: Vec<i64> = rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
        sqlx::query(SETTLE).bind(&ids).execute(&mut self.connection).await?;
        Ok(ids.len())
    }
}
