use crate::{
    connect::{Trust, configured, limit_silence},
    directory::Directory,
    lent::Lent,
    options::{Pooler, PostgresOptions, Source},
    pool::Pool,
    unserved::Unserved,
};
use parking_lot::Mutex;
use sqlx::{
    Connection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use std::sync::Arc;

/// Connections that heartbeats have to themselves: one does, and each beat of a lease finds another if it hangs.
const HEARTBEAT_CONNECTIONS_MAX: u32 = 3;

/// What a call is to the jobs that are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// It may wait for others.
    Calls,
    /// It keeps leases, which lapse while it waits.
    Heartbeats,
}

/// The connections of one handle. Nothing but the store takes any of them, and nothing but heartbeats takes theirs: calls may
/// wait for what somebody's transaction holds, and all of them may do so at once.
#[derive(Debug)]
pub(crate) struct Pools {
    calls: Arc<Pool>,
    heartbeats: Arc<Pool>,
    application: Option<Application>,
}

/// The pool of the application, whose way of connecting the store follows.
#[derive(Debug)]
struct Application {
    pool: PgPool,
    followed: Mutex<Arc<PgConnectOptions>>,
}

impl Pools {
    /// Opens none yet.
    pub(crate) fn new(options: &PostgresOptions, trust: &Arc<Trust>, directory: &Arc<Directory>) -> Self {
        let (connect, base, application) = match &options.source {
            Source::Own(url) => (configured(options, &url.connect), own(options, trust, directory), None),
            Source::Shared(pool) => {
                let followed = pool.connect_options();
                let connect = configured(options, &followed);
                // With the hooks of the application, since they may be what makes its connections usable.
                let base = pool.options().clone().min_connections(0);
                (connect, base, Some(Application { pool: pool.clone(), followed: Mutex::new(followed) }))
            }
        };
        let lazy = |connections| {
            let pool = base.clone().max_connections(connections).acquire_timeout(options.acquire_timeout);
            Pool::new(pool.connect_lazy_with(connect.clone()), trust.clone(), options.acquire_timeout)
        };
        let (calls, heartbeats) = (lazy(options.connections_max), lazy(HEARTBEAT_CONNECTIONS_MAX));
        Self { calls, heartbeats, application }
    }

    /// Waits for a connection.
    pub(crate) async fn acquire(&self, lane: Lane, options: &PostgresOptions) -> Result<Lent, Unserved> {
        self.follow_application(options);
        let pool = match lane {
            Lane::Calls => &self.calls,
            Lane::Heartbeats => &self.heartbeats,
        };
        pool.acquire().await
    }

    /// One that idles, if there is one.
    pub(crate) fn try_acquire(&self) -> Option<Lent> {
        self.calls.try_acquire()
    }

    /// How a connection outside the pools is made.
    pub(crate) fn connect_options(&self, options: &PostgresOptions) -> PgConnectOptions {
        self.follow_application(options);
        (*self.calls.connect_options()).clone()
    }

    /// Closes the store's own; the application's pool stays open.
    pub(crate) async fn close(&self) {
        self.heartbeats.close().await;
        self.calls.close().await;
    }

    /// An application may change how its pool connects, such as for a password that expires.
    fn follow_application(&self, options: &PostgresOptions) {
        let Some(Application { pool, followed }) = &self.application else { return };
        let current = pool.connect_options();
        let mut followed = followed.lock();
        if Arc::ptr_eq(&followed, &current) {
            return;
        }
        for own in [&self.calls, &self.heartbeats] {
            own.set_connect_options(configured(options, &current));
        }
        *followed = current;
    }
}

/// The options of pools that owe nothing to an application.
fn own(options: &PostgresOptions, trust: &Arc<Trust>, directory: &Arc<Directory>) -> PgPoolOptions {
    let (trust, directory) = (trust.clone(), directory.clone());
    let silence = (options.pooler == Pooler::None).then(|| options.silence_max());
    PgPoolOptions::new()
        .test_before_acquire(false)
        .after_connect(move |connection, _| {
            directory.forget();
            Box::pin(async move {
                match silence {
                    Some(silence) => limit_silence(connection, silence).await,
                    None => Ok(()),
                }
            })
        })
        .before_acquire(move |connection, meta| {
            let is_trusted = trust.covers(meta.idle_for);
            Box::pin(async move { Ok(is_trusted || connection.ping().await.is_ok()) })
        })
}
