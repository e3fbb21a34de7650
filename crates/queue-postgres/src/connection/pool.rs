//! The pool of one handle: for each runtime that calls, connections of its own.

use super::{
    acquire_error::AcquireError, idle_trust::IdleTrust, pooled::PooledConnection, runtime_pool::RuntimePool,
};
use crate::error::place;
use parking_lot::Mutex;
use queue_store::PerRuntime;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use std::{fmt, sync::Arc, time::Duration};

/// Connections for calls of one kind. Each runtime that calls has its own, and may open as many as
/// another: one that had to wait for the connections of another would wait for ever while that one
/// stands still.
pub(crate) struct Pool {
    options: PgPoolOptions,
    trust: Arc<IdleTrust>,
    acquire_timeout: Duration,
    /// How connections are made.
    connect: Mutex<Arc<PgConnectOptions>>,
    runtimes: PerRuntime<RuntimePool>,
}

/// Hides the password, which the options of the driver would show.
impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("server", &place(&self.connect_options()))
            .field("runtimes", &self.runtimes)
            .finish_non_exhaustive()
    }
}

impl Pool {
    /// Makes the pool; it opens nothing yet.
    pub(super) fn new(
        options: PgPoolOptions,
        connect: PgConnectOptions,
        trust: Arc<IdleTrust>,
        acquire_timeout: Duration,
    ) -> Self {
        let connect = Mutex::new(Arc::new(connect));
        Self { options, trust, acquire_timeout, connect, runtimes: PerRuntime::default() }
    }

    /// Waits for a connection. Dropping the future takes none.
    pub(super) async fn acquire(&self) -> Result<PooledConnection, AcquireError> {
        self.of_this_runtime().acquire().await
    }

    /// An idle connection, if there is one.
    pub(super) fn try_acquire(&self) -> Option<PooledConnection> {
        self.of_this_runtime().try_acquire()
    }

    /// Closes all connections. It waits for the connections of this runtime that are in use:
    /// another runtime may never move.
    pub(super) async fn close(&self) {
        let own = self.runtimes.known_here();
        self.runtimes.close().iter().for_each(|runtime| runtime.close());
        if let Some(own) = own {
            own.closed().await;
        }
    }

    /// How connections are made.
    pub(super) fn connect_options(&self) -> Arc<PgConnectOptions> {
        self.connect.lock().clone()
    }

    /// Changes how connections are made from now on.
    pub(super) fn set_connect_options(&self, connect: &PgConnectOptions) {
        *self.connect.lock() = Arc::new(connect.clone());
        for runtime in self.runtimes.all() {
            runtime.set_connect_options(connect.clone());
        }
    }

    /// The connections of the runtime that calls.
    fn of_this_runtime(&self) -> Arc<RuntimePool> {
        self.runtimes.here(|| {
            let driver = self.options.clone().connect_lazy_with((*self.connect_options()).clone());
            RuntimePool::new(driver, self.trust.clone(), self.acquire_timeout)
        })
    }
}
