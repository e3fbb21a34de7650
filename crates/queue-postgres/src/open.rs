//! Opening a store: asks the server what it is, migrates, and makes the handle.

use crate::{
    connection::{BEGIN, PoolKind, Pools, configured, connect_within, kept_settings},
    error::{Effect, explain, unreachable},
    handle::{HandleState, ServerFacts},
    identity::Identity,
    migrate::migrate,
    name_cache::NameCache,
    options::{ConnectionSource, Pooler, PostgresOptions},
};
use queue_core::{Durability, Error, ErrorKind, Result};
use sqlx::{Connection, PgConnection, Row, postgres::PgConnectOptions};
use std::sync::Arc;

/// The oldest server that is tested, as its version number.
const SERVER_VERSION_MIN: i32 = 130_000;
/// A call is one message, of which a server takes 1 GiB.
const CALL_BYTES_MAX: usize = 512 << 20;

const LOAD_SERVER: &str = include_str!("../sql/load_server.sql");

/// Connects, checks the server and migrates.
pub(crate) async fn open(options: PostgresOptions) -> Result<HandleState> {
    if options.limits.call_bytes_max > CALL_BYTES_MAX {
        return Err(Error::invalid("open", "calls have at most 512 MiB in this store"));
    }
    let names = Arc::new(NameCache::default());
    let pools = Pools::new(&options, &names);
    let facts = match &options.source {
        ConnectionSource::Own(url) => {
            // A file that cannot be read is reported by name; the driver's error would not tell it.
            for file in &url.files {
                file.check().await?;
            }
            set_up_alone(&configured(&options, &url.connect), &options).await?
        }
        ConnectionSource::Shared(pool) if pool.is_closed() => return Err(refused(sqlx::Error::PoolClosed)),
        ConnectionSource::Shared(_) => {
            let acquired = pools.acquire(PoolKind::Calls, &options).await;
            let mut connection = acquired.map_err(|error| error.explain("open", PoolKind::Calls))?;
            let facts = set_up(&mut connection, &options).await?;
            connection.release(true);
            facts
        }
    };
    Ok(HandleState::new(options, pools, names, facts))
}

/// Sets the store up on one connection that belongs to no pool, since the server then says at once
/// what is wrong.
async fn set_up_alone(connect: &PgConnectOptions, options: &PostgresOptions) -> Result<ServerFacts> {
    let connecting = connect_within(options.acquire_timeout, connect).await;
    let mut connection = connecting.map_err(|error| unreachable("open", connect, Arc::new(error)))?;
    let facts = set_up(&mut connection, options).await?;
    connection.close().await.map_err(refused)?;
    Ok(facts)
}

async fn set_up(connection: &mut PgConnection, options: &PostgresOptions) -> Result<ServerFacts> {
    // The question is asked in a transaction, since a pooler may otherwise give the two halves of a
    // statement to two servers.
    let mut transaction = connection.begin_with(BEGIN).await.map_err(refused)?;
    let (names, values) = kept_settings();
    let load = sqlx::query(LOAD_SERVER).bind(names).bind(values).persistent(false);
    let server = load.fetch_one(&mut *transaction).await;
    transaction.rollback().await.map_err(refused)?;
    let server = server.map_err(refused)?;
    let durability = check(&server)?;
    let keeps_settings = options.pooler == Pooler::None && server.try_get(6).map_err(refused)?;
    let schema_oid = migrate(connection, options).await?;
    let identity = Identity::find(connection, options.schema.plain()).await.map_err(refused)?;
    Ok(ServerFacts { durability, keeps_settings, schema_oid, identity })
}

/// Explains an error whose effect is never in doubt: nothing is written before the migration, and
/// the next open begins a migration again that was cut short.
fn refused(error: sqlx::Error) -> Error {
    explain("open", error, Effect::None)
}

/// Refuses servers that cannot keep jobs, and says what an acknowledged write survives on the
/// others.
fn check(server: &sqlx::postgres::PgRow) -> Result<Durability> {
    let version: i32 = server.try_get(0).map_err(refused)?;
    let text: &str = server.try_get(5).map_err(refused)?;
    if version < SERVER_VERSION_MIN {
        let message = format!("PostgreSQL {text} is too old; version 13 or newer is needed");
        return Err(Error::new(ErrorKind::Unsupported, "open", message));
    }
    let is_standby: bool = server.try_get(3).map_err(refused)?;
    let is_read_only: bool = server.try_get(4).map_err(refused)?;
    if is_standby || is_read_only {
        let message =
            "the server is read-only, such as a standby; connect to the primary, or to its new address";
        return Err(Error::new(ErrorKind::Unavailable, "open", message));
    }
    let commit: &str = server.try_get(1).map_err(refused)?;
    let fsync: &str = server.try_get(2).map_err(refused)?;
    let is_flushed = commit != "off" && fsync == "on";
    Ok(if is_flushed { Durability::Power } else { Durability::Process })
}
