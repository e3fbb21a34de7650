//! The pools of one handle: one for calls, one for heartbeats, both made as the application's own
//! pool connects if there is one.

use super::{
    acquire_error::AcquireError,
    idle_trust::IdleTrust,
    pool::Pool,
    pooled::PooledConnection,
    settings::{configured, limit_silence},
};
use crate::{
    name_cache::NameCache,
    options::{ConnectionSource, Pooler, PostgresOptions},
};
use parking_lot::Mutex;
use sqlx::{
    Connection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use std::{fmt, sync::Arc};

/// Connections of a runtime that only heartbeats use: one suffices, and each beat of a lease finds
/// another one if a connection hangs.
const HEARTBEAT_CONNECTIONS_MAX: u32 = 3;

/// Which of the pools a call takes its connection from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PoolKind {
    /// For calls that may wait for others.
    Calls,
    /// For calls that keep leases, which lapse while such a call waits.
    Heartbeats,
}

/// The connections of one handle. Only the store takes any of them, and only heartbeats take
/// theirs: calls may wait for what somebody's transaction holds, and all of them may do so at once.
#[derive(Debug)]
pub(crate) struct Pools {
    calls: Pool,
    heartbeats: Pool,
    application: Option<ApplicationPool>,
    trust: Arc<IdleTrust>,
}

/// The pool of the application, whose way of connecting the store follows.
struct ApplicationPool {
    pool: PgPool,
    followed: Mutex<Arc<PgConnectOptions>>,
}

/// Hides the password, which the options of the driver would show.
impl fmt::Debug for ApplicationPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApplicationPool").field("pool", &self.pool).finish_non_exhaustive()
    }
}

impl Pools {
    /// Makes the pools; no connection is opened yet. Each new connection empties `names`.
    pub(crate) fn new(options: &PostgresOptions, names: &Arc<NameCache>) -> Self {
        let trust = Arc::new(IdleTrust::default());
        let (connect, base, application) = match &options.source {
            ConnectionSource::Own(url) => {
                (configured(options, &url.connect), own(options, &trust, names), None)
            }
            ConnectionSource::Shared(pool) => {
                let followed = pool.connect_options();
                let connect = configured(options, &followed);
                // The hooks of the application stay, since they may be what makes its connections
                // usable.
                let base = pool.options().clone().min_connections(0);
                let application = ApplicationPool { pool: pool.clone(), followed: Mutex::new(followed) };
                (connect, base, Some(application))
            }
        };
        let lazy = |connections| {
            let pool = base.clone().max_connections(connections).acquire_timeout(options.acquire_timeout);
            Pool::new(pool, connect.clone(), trust.clone(), options.acquire_timeout)
        };
        let calls = lazy(options.connections_max);
        let heartbeats = lazy(HEARTBEAT_CONNECTIONS_MAX);
        Self { calls, heartbeats, application, trust }
    }

    /// Waits for a connection. Dropping the future takes none.
    pub(crate) async fn acquire(
        &self,
        kind: PoolKind,
        options: &PostgresOptions,
    ) -> Result<PooledConnection, AcquireError> {
        self.follow_application(options);
        let pool = match kind {
            PoolKind::Calls => &self.calls,
            PoolKind::Heartbeats => &self.heartbeats,
        };
        pool.acquire().await
    }

    /// An idle connection for calls, if there is one.
    pub(crate) fn try_acquire(&self) -> Option<PooledConnection> {
        self.calls.try_acquire()
    }

    /// How a connection outside the pools is made.
    pub(crate) fn connect_options(&self, options: &PostgresOptions) -> PgConnectOptions {
        self.follow_application(options);
        (*self.calls.connect_options()).clone()
    }

    /// Records that a connection broke, which casts doubt on those that idle.
    pub(crate) fn distrust_idle(&self) {
        self.trust.lose();
    }

    /// Closes the store's own pools, waiting for what this runtime has in use; the application's
    /// pool stays open.
    pub(crate) async fn close(&self) {
        self.heartbeats.close().await;
        self.calls.close().await;
    }

    /// Takes over how the application's pool connects, which may change, such as for a password
    /// that expires.
    fn follow_application(&self, options: &PostgresOptions) {
        let Some(ApplicationPool { pool, followed }) = &self.application else { return };
        let current = pool.connect_options();
        let mut followed = followed.lock();
        if Arc::ptr_eq(&followed, &current) {
            return;
        }
        for own in [&self.calls, &self.heartbeats] {
            own.set_connect_options(&configured(options, &current));
        }
        *followed = current;
    }
}

/// The options of pools that owe nothing to an application.
fn own(options: &PostgresOptions, trust: &Arc<IdleTrust>, names: &Arc<NameCache>) -> PgPoolOptions {
    let (trust, names) = (trust.clone(), names.clone());
    let silence = (options.pooler == Pooler::None).then(|| options.silence_max());
    PgPoolOptions::new()
        .test_before_acquire(false)
        .after_connect(move |connection, _| {
            // A server that lost its last commits ends its connections, so a new one may lead to
            // other numbers.
            names.forget();
            Box::pin(async move {
                match silence {
                    Some(silence) => limit_silence(connection, silence).await,
                    None => Ok(()),
                }
            })
        })
        .before_acquire(move |connection, meta| {
            // The driver's own test pings before each use; here a connection that was just in use
            // is trusted (ADR 0020).
            let is_trusted = trust.covers(meta.idle_for);
            Box::pin(async move { Ok(is_trusted || connection.ping().await.is_ok()) })
        })
}
