//! Postgres asked directly: its version, its settings of durability, the size of a schema and of
//! the log.

use super::Engine;
use crate::{bed, bed::Bed, processor, store::StoreKind};
use anyhow::Context;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, Row, postgres::PgConnectOptions};
use std::str::FromStr;

/// What decides when an answered commit is on the disk.
const SETTINGS: &[&str] = &["fsync", "synchronous_commit", "full_page_writes", "wal_sync_method"];

pub(crate) async fn connect(server: &str) -> anyhow::Result<PgConnection> {
    Ok(PgConnection::connect_with(&PgConnectOptions::from_str(server)?).await?)
}

pub(super) async fn describe() -> anyhow::Result<Engine> {
    let mut connection = connect(&bed::server(StoreKind::Postgres)?).await?;
    let version = show(&mut connection, "server_version").await?;
    let mut settings = Vec::new();
    for setting in SETTINGS {
        settings.push(format!("{setting}={}", show(&mut connection, setting).await?));
    }
    let version = version.split_whitespace().next().unwrap_or_default();
    Ok(Engine { version: format!("PostgreSQL {version}"), durability: settings.join(", ") })
}

async fn show(connection: &mut PgConnection, setting: &str) -> anyhow::Result<String> {
    let row = sqlx::query("SELECT current_setting($1)").bind(setting).fetch_one(connection).await?;
    Ok(row.try_get(0)?)
}

/// Tables and indexes of the bed's schema, and the whole log so far.
pub(super) async fn volume(bed: &Bed) -> anyhow::Result<(u64, Option<u64>)> {
    let row = sqlx::query(
        "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint,
                pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = $1 AND c.relkind = 'r'",
    )
    .bind(&bed.name)
    .fetch_one(&mut connect(&bed.server()?).await?)
    .await?;
    let bytes = |column: usize| anyhow::Ok(u64::try_from(row.try_get::<i64, _>(column)?)?);
    Ok((bytes(0)?, Some(bytes(1)?)))
}

/// The process that starts one for each connection.
pub(super) async fn process(bed: &Bed) -> anyhow::Result<u32> {
    let mut connection = connect(&bed.server()?).await?;
    let row = sqlx::query("SELECT pg_backend_pid()").fetch_one(&mut connection).await?;
    let own = u32::try_from(row.try_get::<i32, _>(0)?)?;
    processor::parent(own).context("the server is not on this machine")
}

/// What autovacuum does: it has what jobs left behind as they went from table to table be passed
/// over no more.
pub(super) async fn vacuum(bed: &Bed) -> anyhow::Result<()> {
    let mut connection = connect(&bed.server()?).await?;
    for table in ["lease", "ready", "tally"] {
        let statement = AssertSqlSafe(format!("VACUUM ANALYZE {}.{table}", bed.name));
        connection.execute(statement).await?;
    }
    Ok(())
}

/// Much faster than removing a million rows.
pub(crate) async fn drop_schema(bed: &Bed) -> anyhow::Result<()> {
    // The name is made of letters and digits by this program.
    let statement = AssertSqlSafe(format!("DROP SCHEMA IF EXISTS {} CASCADE", bed.name));
    connect(&bed.server()?).await?.execute(statement).await?;
    Ok(())
}
