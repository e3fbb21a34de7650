//! How the store's connections and transactions begin: the settings of a connection, and the
//! isolation of a transaction.

use crate::{
    error::is_broken,
    options::{Pooler, PostgresOptions},
};
use sqlx::{Connection, PgConnection, postgres::PgConnectOptions};
use std::{io, sync::LazyLock, time::Duration};
use tokio::time::timeout;

/// Settings of the store's own connections. Its statements are short and know their indexes. For
/// them it is never right to compile, to plan again for every call, or to read a whole table
/// because there was nothing in it when the plan was made. A server that last saw a table empty
/// takes all access paths for equally cheap, so only one is left to it.
const SETTINGS: [(&str, &str); 6] = [
    ("jit", "off"),
    ("enable_seqscan", "off"),
    ("enable_bitmapscan", "off"),
    ("enable_sort", "off"),
    ("enable_mergejoin", "off"),
    ("plan_cache_mode", "force_generic_plan"),
];

/// The isolation that every statement of the store is written for. It takes the place of the
/// default of the server, the database or the role: a statement that locks rows goes on with their
/// newest version, where a stricter level makes it fail.
const ISOLATION: (&str, &str) = ("default_transaction_isolation", "read committed");
/// How a transaction begins before it is known which settings a connection keeps.
pub(crate) const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";
/// How a transaction begins where a connection keeps no settings: with the settings, in one round
/// trip.
pub(crate) static BEGIN_WITH_SETTINGS: LazyLock<String> = LazyLock::new(|| {
    let settings = SETTINGS.map(|(name, value)| format!("; SET LOCAL {name} = {value}"));
    format!("{BEGIN}{}", settings.concat())
});

const LIMIT_SILENCE: &str = include_str!("../../sql/limit_silence.sql");

/// Names and values of the settings that a connection is asked to keep.
pub(crate) fn kept_settings() -> (Vec<&'static str>, Vec<&'static str>) {
    SETTINGS.into_iter().chain([ISOLATION]).unzip()
}

/// Connection options with the settings that the store wants, unless a pooler would refuse them.
pub(crate) fn configured(options: &PostgresOptions, connect: &PgConnectOptions) -> PgConnectOptions {
    let connect = connect.clone();
    match options.pooler {
        Pooler::None => connect.options(SETTINGS).options([ISOLATION]),
        Pooler::Transactions => connect.extra_float_digits(None).statement_cache_capacity(0),
    }
}

/// Makes a connection outside the pools. A server that says nothing for the whole limit counts as
/// an I/O failure.
pub(crate) async fn connect_within(
    limit: Duration,
    connect: &PgConnectOptions,
) -> sqlx::Result<PgConnection> {
    let connecting = timeout(limit, PgConnection::connect_with(connect)).await;
    connecting.unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into()))
}

/// Has the server end the connection once its client stops reading: a process that is stopped would
/// otherwise keep what its connection holds, such as locks or, where it listens, the server's queue
/// of notifications and its vacuum. The setting is sent once the connection is there, since poolers
/// refuse it at the start. A server that cannot do it goes without.
pub(crate) async fn limit_silence(connection: &mut PgConnection, silence: Duration) -> sqlx::Result<()> {
    let millis = i32::try_from(silence.as_millis()).unwrap_or(i32::MAX);
    let limit = sqlx::query(LIMIT_SILENCE).bind(millis.to_string()).persistent(false);
    match limit.execute(connection).await {
        Err(error) if is_broken(&error) => Err(error),
        _ => Ok(()),
    }
}
