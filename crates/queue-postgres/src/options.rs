//! The options that a store is opened with.

use crate::{schema::SchemaName, url::DatabaseUrl};
use queue_core::{Clock, Limits, Result};
use queue_store::UrlOption;
use sqlx::PgPool;
use std::{mem, sync::Arc, time::Duration};

/// Connections for calls, unless the caller says otherwise.
const CONNECTIONS_MAX: u32 = 10;
/// Connections for calls beside a pool of the application's, which has its own.
const CONNECTIONS_BESIDE_MAX: u32 = 4;
/// Probes that a client may leave unread before the server ends its session, and the shortest time
/// of that.
const SILENT_INTERVALS: u32 = 4;
const SILENCE_MIN: Duration = Duration::from_secs(1);

/// How a store is opened. Start with [`PostgresOptions::new`], change what you need, and hand it to
/// [`PostgresStorage::open`](crate::PostgresStorage::open).
#[derive(Clone, Debug)]
pub struct PostgresOptions {
    pub(crate) source: ConnectionSource,
    pub(crate) schema: SchemaName,
    pub(crate) migrations: Migrations,
    pub(crate) listen: Listen,
    pub(crate) pooler: Pooler,
    pub(crate) limits: Limits,
    pub(crate) time: Time,
    pub(crate) connections_max: u32,
    pub(crate) acquire_timeout: Duration,
    pub(crate) call_timeout: Duration,
    pub(crate) probe_interval: Duration,
}

/// Where the store learns how to connect.
#[derive(Clone, Debug)]
pub(crate) enum ConnectionSource {
    /// The store connects by a URL of its own.
    Own(Box<DatabaseUrl>),
    /// The store connects as the application's pool does.
    Shared(PgPool),
}

/// Where store time comes from.
#[derive(Clone, Debug)]
pub(crate) enum Time {
    /// The server's clock.
    Server,
    /// A clock of the caller.
    Injected(Arc<dyn Clock>),
}

/// What to do about tables that are missing or old.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Migrations {
    /// Make them, once, however many processes start at the same time.
    #[default]
    Apply,
    /// Answer an error: another user applies [`schema`](crate::schema), with rights that this one
    /// lacks.
    Expect,
}

/// Whether a connection is kept that receives other processes' notifications at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Listen {
    /// One connection per handle, opened with the first subscription.
    #[default]
    On,
    /// None, and no notification is sent: writes of other processes are found by polling.
    Off,
}

/// What stands between this program and the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Pooler {
    /// Nothing that changes the server behind a connection.
    #[default]
    None,
    /// A pooler that gives each transaction another server connection, such as PgBouncer in
    /// transaction mode. Nothing is prepared by name and no setting is sent at the start; listening
    /// is off, since it needs a connection of its own.
    Transactions,
}

impl PostgresOptions {
    /// Takes a URL: `postgres://user:password@host:5432/database?schema=queue`. Each option of this
    /// type is a parameter of its name, such as `call_timeout=10s` and `pooler=transactions`; the
    /// page of the store, `docs/stores/postgres.md`, lists them. Other parameters are the driver's,
    /// among them `application_name`, `host` for a socket's directory, and `options[name]` for
    /// settings of the server. What is missing comes from the environment (`PGHOST`, `PGPASSWORD`
    /// and so on); the user is then `PGUSER`, or the one of the system.
    ///
    /// With `sslmode=verify-full` (feature `tls`) connections are encrypted and the server has to
    /// show a certificate of its name; `require` encrypts and trusts any server. `sslrootcert`
    /// names the file of an authority to trust besides the well-known ones, and `sslcert` and
    /// `sslkey` the files of a client certificate. Files are in PEM form; they are read for each
    /// connection, so that renewed ones need no restart.
    ///
    /// # Errors
    /// `Invalid` for a URL that cannot be read, for a parameter that is not known, and for
    /// `sslrootcert` without a mode that looks at it. No message repeats the URL, since it may hold
    /// a password.
    pub fn new(url: &str) -> Result<Self> {
        let mut url = DatabaseUrl::parse(url)?;
        let own = mem::take(&mut url.own);
        let options = Self::from_source(ConnectionSource::Own(Box::new(url)));
        own.iter().try_fold(options, |options, (key, value)| options.with(UrlOption::new(key, value)))
    }

    /// Connects as the application's pool does: with its address, user and encryption, and with the
    /// hooks of its options (`after_connect` and so on). A password that
    /// [`PgPool::set_connect_options`] changes is followed.
    ///
    /// The store's own calls take no connection of that pool, except one that idles to look up a
    /// queue's number before a call such as [`enqueue_in`](crate::PostgresStorage::enqueue_in):
    /// handlers that hold all of them in transactions would keep heartbeats from being sent, and
    /// the jobs would run again elsewhere. So count a few connections more for each handle and
    /// runtime, at most [`connections_max`](Self::connections_max) and the ones of heartbeats.
    /// Closing the store leaves the pool open.
    ///
    /// Never drop the future of `pool.begin()` half-way: the driver then gives the connection back
    /// with a transaction open, and what is next written on it may be answered and never committed.
    /// A time limit around it is enough to do so. The store's own calls close such a connection; of
    /// other people's it cannot know.
    pub fn with_pool(pool: PgPool) -> Self {
        Self::from_source(ConnectionSource::Shared(pool))
    }

    fn from_source(source: ConnectionSource) -> Self {
        let connections_max = match source {
            ConnectionSource::Own(_) => CONNECTIONS_MAX,
            ConnectionSource::Shared(_) => CONNECTIONS_BESIDE_MAX,
        };
        Self {
            source,
            schema: SchemaName::standard(),
            migrations: Migrations::default(),
            listen: Listen::default(),
            pooler: Pooler::default(),
            limits: Limits { gates: true, partitions: true, ..Limits::default() },
            time: Time::Server,
            connections_max,
            acquire_timeout: Duration::from_secs(10),
            call_timeout: Duration::from_secs(30),
            probe_interval: Duration::from_secs(15),
        }
    }

    /// The schema for the tables; each is a store of its own. Default `queue`. Any name of 1 to 63
    /// bytes will do.
    ///
    /// # Errors
    /// `Invalid` for a name that PostgreSQL would change or refuse.
    pub fn schema(mut self, name: &str) -> Result<Self> {
        self.schema = SchemaName::new(name)?;
        Ok(self)
    }

    /// What to do about tables that are missing or old. Default: make them.
    #[must_use]
    pub fn migrations(mut self, migrations: Migrations) -> Self {
        self.migrations = migrations;
        self
    }

    /// Whether a connection is kept that receives other processes' notifications. Default: yes.
    #[must_use]
    pub fn listen(mut self, listen: Listen) -> Self {
        self.listen = listen;
        self
    }

    /// What stands between this program and the server. Default: nothing.
    #[must_use]
    pub fn pooler(mut self, pooler: Pooler) -> Self {
        self.pooler = pooler;
        self
    }

    /// What the store accepts.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Limits { gates: true, partitions: true, ..limits };
        self
    }

    /// Where store time comes from instead of the server's clock. For tests: all handles on a
    /// schema need the same one.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.time = Time::Injected(clock);
        self
    }

    /// The most connections for calls of one runtime, at least one. Default 10, and 4 beside a pool
    /// of the application's. Heartbeats have connections of their own, one as a rule and three
    /// while some hang, and listening needs one more. All are opened when they are needed.
    ///
    /// Each tokio runtime that calls has as many: no call waits for a connection that a runtime
    /// holds which stands still. A program with a runtime for each core needs one or two for each.
    #[must_use]
    pub fn connections_max(mut self, connections: u32) -> Self {
        self.connections_max = connections.max(1);
        self
    }

    /// How long a call waits for a connection. Default 10 s.
    #[must_use]
    pub fn acquire_timeout(mut self, timeout: Duration) -> Self {
        self.acquire_timeout = timeout;
        self
    }

    /// How long the server may say nothing to a call that has a connection; it is then
    /// `Unavailable`, a write with an unknown outcome. Each row of an answer is a sign of life, so
    /// a long answer may take longer. Default 30 s. `counts` and `verify`, which may look at
    /// everything, take as long as they take.
    #[must_use]
    pub fn call_timeout(mut self, timeout: Duration) -> Self {
        self.call_timeout = timeout;
        self
    }

    /// How often the listening connection is asked for a sign of life through the server. Default
    /// 15 s. One that gives none until the next probe is replaced. The server in turn ends a
    /// session whose client has taken nothing of what it was sent for four such intervals, a minute
    /// by default, such as a process that is stopped (`tcp_user_timeout`; a value of your own in
    /// the URL stands, and a server that cannot do it goes without).
    #[must_use]
    pub fn probe_interval(mut self, interval: Duration) -> Self {
        self.probe_interval = interval;
        self
    }

    /// How long the server waits for a client that takes nothing.
    pub(crate) fn silence_max(&self) -> Duration {
        SILENCE_MIN.max(self.probe_interval.saturating_mul(SILENT_INTERVALS))
    }

    /// Whether notifications are sent and listened to.
    pub(crate) fn is_listening(&self) -> bool {
        self.listen == Listen::On && self.pooler == Pooler::None
    }
}
