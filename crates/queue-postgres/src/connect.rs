//! Opens the pool, asks the server what it is, and migrates.

use crate::{
    directory::Directory,
    error::{Effect, explain, is_broken, unreachable},
    identity::Identity,
    migrate::migrate,
    options::{Pooler, PostgresOptions, Source},
    pools::{Lane, Pools},
};
use parking_lot::Mutex;
use queue_core::{Durability, Error, ErrorKind, Result};
use sqlx::{Connection, PgConnection, Row, postgres::PgConnectOptions};
use std::{
    io,
    sync::{Arc, LazyLock},
    time::Duration,
};
use tokio::time::{Instant, timeout};

/// The oldest server that is tested, as its version number.
const SERVER_VERSION_MIN: i32 = 130_000;
/// A call is one message, of which a server takes 1 GiB.
const CALL_BYTES_MAX: usize = 512 << 20;
/// A connection that was idle for longer is asked for a sign of life before it is used; so is every one that was idle
/// when another broke, since what broke one may have broken all.
const IDLE_TRUSTED: Duration = Duration::from_secs(2);
/// Settings of the store's own connections. Its statements are short and know their indexes; compiling them, planning them
/// again for every call, or reading a whole table or all that waits because there was nothing when the plan was made, is never
/// right. A server that last saw a table empty takes all ways through it for equally cheap, so only one is left to it.
const SETTINGS: [(&str, &str); 6] = [
    ("jit", "off"),
    ("enable_seqscan", "off"),
    ("enable_bitmapscan", "off"),
    ("enable_sort", "off"),
    ("enable_mergejoin", "off"),
    ("plan_cache_mode", "force_generic_plan"),
];

/// What every statement of the store is written for, whatever the default of the server, the database or the role: statements
/// that lock rows go on with their newest version, where a stricter level makes them fail.
const ISOLATION: (&str, &str) = ("default_transaction_isolation", "read committed");
/// How a transaction begins before it is known what a connection keeps.
pub(crate) const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";
/// How a transaction begins where a connection keeps no settings: with them, in one round trip.
pub(crate) static BEGIN_WITH_SETTINGS: LazyLock<String> = LazyLock::new(|| {
    let settings = SETTINGS.map(|(name, value)| format!("; SET LOCAL {name} = {value}"));
    format!("{BEGIN}{}", settings.concat())
});

const LIMIT_SILENCE: &str = include_str!("../sql/limit_silence.sql");
const LOAD_SERVER: &str = include_str!("../sql/load_server.sql");

/// What opening learnt.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) pools: Pools,
    /// Connections have the settings that the store gave them, so that no transaction needs to bring them. Poolers and hooks
    /// of the application may have others.
    pub(crate) keeps_settings: bool,
    pub(crate) durability: Durability,
    /// When a connection last broke.
    pub(crate) trust: Arc<Trust>,
    pub(crate) directory: Arc<Directory>,
    /// What a caller's connection has to lead to.
    pub(crate) identity: Identity,
    /// Where its notifications go: the schema by number, so that no name needs an encoding.
    pub(crate) channel: String,
}

/// What one connection told.
struct Opened {
    durability: Durability,
    keeps_settings: bool,
    schema: i64,
    identity: Identity,
}

/// Whether an idle connection may be used as it is.
#[derive(Debug, Default)]
pub(crate) struct Trust(Mutex<Option<Instant>>);

impl Trust {
    /// A connection broke.
    pub(crate) fn lose(&self) {
        *self.0.lock() = Some(Instant::now());
    }

    pub(crate) fn covers(&self, idle_for: Duration) -> bool {
        let lost_at = *self.0.lock();
        idle_for < IDLE_TRUSTED && lost_at.is_none_or(|at| at.elapsed() > idle_for)
    }
}

/// Connects, checks and migrates.
pub(crate) async fn connect(options: &PostgresOptions) -> Result<Server> {
    if options.limits.call_bytes_max > CALL_BYTES_MAX {
        return Err(Error::invalid("open", "calls have at most 512 MiB in this store"));
    }
    let (trust, directory) = (Arc::new(Trust::default()), Arc::new(Directory::default()));
    let pools = Pools::new(options, &trust, &directory);
    let opened = match &options.source {
        Source::Own(url) => {
            for file in &url.files {
                file.check().await?;
            }
            open_alone(&configured(options, &url.connect), options).await?
        }
        Source::Shared(pool) if pool.is_closed() => return Err(refused(sqlx::Error::PoolClosed)),
        Source::Shared(_) => {
            let acquired = pools.acquire(Lane::Calls, options).await;
            let mut connection = acquired.map_err(|unserved| unserved.explain("open", Lane::Calls))?;
            let opened = open(&mut connection, options).await?;
            connection.done(true);
            opened
        }
    };
    let Opened { durability, keeps_settings, schema, identity } = opened;
    let channel = format!("queue_{schema}");
    Ok(Server { pools, keeps_settings, durability, trust, directory, identity, channel })
}

/// Connection options with the settings that the store wants, unless a pooler would refuse them.
pub(crate) fn configured(options: &PostgresOptions, connect: &PgConnectOptions) -> PgConnectOptions {
    let connect = connect.clone();
    match options.pooler {
        Pooler::None => connect.options(SETTINGS).options([ISOLATION]),
        Pooler::Transactions => connect.extra_float_digits(None).statement_cache_capacity(0),
    }
}

/// One connection before there is a pool: what is wrong is then told by the server, and at once.
async fn open_alone(connect: &PgConnectOptions, options: &PostgresOptions) -> Result<Opened> {
    let connecting = connect_within(options.acquire_timeout, connect).await;
    let mut connection = connecting.map_err(|error| unreachable("open", connect, Arc::new(error)))?;
    let opened = open(&mut connection, options).await?;
    connection.close().await.map_err(refused)?;
    Ok(opened)
}

/// A connection outside the pools. A server that says nothing for so long is a failure of the line.
pub(crate) async fn connect_within(
    limit: Duration,
    connect: &PgConnectOptions,
) -> sqlx::Result<PgConnection> {
    let connecting = timeout(limit, PgConnection::connect_with(connect)).await;
    connecting.unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into()))
}

/// Has the server end the session once its client takes nothing any more: a process that is stopped would otherwise keep what
/// its session holds, be it locks or, of one that listens, the server's vacuum and queue of notifications. It is sent when the
/// connection is there, since poolers refuse it at the start. A server that cannot do it goes without.
pub(crate) async fn limit_silence(connection: &mut PgConnection, silence: Duration) -> sqlx::Result<()> {
    let millis = i32::try_from(silence.as_millis()).unwrap_or(i32::MAX);
    let limit = sqlx::query(LIMIT_SILENCE).bind(millis.to_string()).persistent(false);
    match limit.execute(connection).await {
        Err(error) if is_broken(&error) => Err(error),
        _ => Ok(()),
    }
}

async fn open(connection: &mut PgConnection, options: &PostgresOptions) -> Result<Opened> {
    // In a transaction, since a pooler may give the two halves of a statement to two servers otherwise.
    let mut transaction = connection.begin_with(BEGIN).await.map_err(refused)?;
    let (names, values): (Vec<&str>, Vec<&str>) = SETTINGS.into_iter().chain([ISOLATION]).unzip();
    let load = sqlx::query(LOAD_SERVER).bind(names).bind(values).persistent(false);
    let server = load.fetch_one(&mut *transaction).await;
    transaction.rollback().await.map_err(refused)?;
    let server = server.map_err(refused)?;
    let durability = check(&server)?;
    let keeps_settings = options.pooler == Pooler::None && server.try_get(6).map_err(refused)?;
    let schema = migrate(connection, options).await?;
    let identity = Identity::find(connection, options.schema.plain()).await.map_err(refused)?;
    Ok(Opened { durability, keeps_settings, schema, identity })
}

/// A migration is begun again by the next open, and before it nothing is written; so nothing is ever in doubt.
fn refused(error: sqlx::Error) -> Error {
    explain("open", error, Effect::None)
}

/// Refuses servers that cannot do, and says what an acknowledged write survives on the others.
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
