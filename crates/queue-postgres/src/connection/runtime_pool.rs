//! The connections that were opened on one runtime.

use super::idle_trust::IdleTrust;
use parking_lot::{Mutex, MutexGuard};
use sqlx::{PgConnection, PgPool, Postgres, pool::PoolConnection};
use std::{sync::Arc, time::Duration};
use tokio::{
    runtime::{Handle, Id},
    sync::oneshot,
    time::Instant,
};

/// How long a connection goes from call to call before the driver's pool looks at it again, which
/// ends connections that have lived for too long.
const KEPT_MAX: Duration = Duration::from_mins(1);

/// The connections that were opened on one runtime, and are used on that one alone.
///
/// A socket is registered with the runtime that opened it. Once that ended, whatever has to wait
/// for the socket fails, and whatever need not wait goes well: even a ping, if its answer is there
/// by the time somebody looks. So no test tells such a connection from a good one, and none passes
/// from one runtime to another.
#[derive(Debug)]
pub(super) struct RuntimePool {
    runtime: Id,
    pub(super) driver: PgPool,
    trust: Arc<IdleTrust>,
    state: Mutex<RuntimePoolState>,
    /// Dropped with the pool, which ends the task that waits for the end of the runtime.
    _in_use: oneshot::Sender<()>,
}

#[derive(Debug, Default)]
struct RuntimePoolState {
    idle: Vec<IdleConnection>,
    /// Whether a task is opening a connection.
    is_opening: bool,
    /// Whether the runtime ended, or the store was closed.
    is_over: bool,
}

/// A connection between two calls.
#[derive(Debug)]
struct IdleConnection {
    connection: PoolConnection<Postgres>,
    since: Instant,
    idle_since: Instant,
}

/// A connection and the runtime that it belongs to.
pub(super) struct OpenConnection {
    pub(super) connection: PoolConnection<Postgres>,
    /// When the driver's pool gave the connection out.
    since: Instant,
    home: Arc<RuntimePool>,
}

impl RuntimePool {
    /// Wraps a pool of the driver of which nobody else takes connections, and that is used on
    /// `runtime` alone.
    pub(super) fn new(
        runtime: Id,
        driver: PgPool,
        trust: Arc<IdleTrust>,
        in_use: oneshot::Sender<()>,
    ) -> Self {
        Self { runtime, driver, trust, state: Mutex::default(), _in_use: in_use }
    }

    pub(super) fn is_of(&self, runtime: Id) -> bool {
        self.runtime == runtime
    }

    /// Has the driver's pool make a connection, or test one that it has.
    pub(super) async fn open(self: &Arc<Self>) -> sqlx::Result<OpenConnection> {
        let connection = self.driver.acquire().await?;
        Ok(OpenConnection { connection, since: Instant::now(), home: self.clone() })
    }

    /// Takes the connection that was used last, so that the others may idle for long enough to be
    /// closed. Connections that idled for too long to be trusted go back to the driver's pool,
    /// which pings them.
    pub(super) fn take_idle(self: &Arc<Self>) -> Option<OpenConnection> {
        let mut state = self.lock();
        let (mut fresh, doubtful): (Vec<_>, Vec<_>) =
            state.idle.drain(..).partition(|idle| self.trust.covers(idle.idle_since.elapsed()));
        let taken = fresh.pop();
        state.idle = fresh;
        // The lock goes before the doubtful connections do, since dropping one wakes the driver's
        // pool.
        drop(state);
        drop(doubtful);
        taken.map(|idle| OpenConnection {
            connection: idle.connection,
            since: idle.since,
            home: self.clone(),
        })
    }

    /// Whether the caller is to open a connection, since nobody does.
    pub(super) fn begins_opening(&self) -> bool {
        !std::mem::replace(&mut self.lock().is_opening, true)
    }

    pub(super) fn ends_opening(&self) {
        self.lock().is_opening = false;
    }

    pub(super) fn is_opening(&self) -> bool {
        self.lock().is_opening
    }

    /// Cuts the connection that idled for longest, if one idles.
    pub(super) fn cut_one(&self) -> bool {
        let mut state = self.lock();
        let longest = (!state.idle.is_empty()).then(|| state.idle.remove(0).connection);
        drop(state);
        longest.or_else(|| self.driver.try_acquire()).map(PoolConnection::detach).is_some()
    }

    /// Keeps no connection from now on, and cuts those that idle: there may be no runtime that
    /// could close them in good order.
    pub(super) fn end(&self) {
        let idle = {
            let mut state = self.lock();
            state.is_over = true;
            std::mem::take(&mut state.idle)
        };
        drop(idle.into_iter().map(|idle| idle.connection.detach()).collect::<Vec<_>>());
    }

    /// Closes all connections, waiting for those that are in use.
    pub(super) async fn close(&self) {
        self.end();
        self.driver.close().await;
    }

    fn is_current(&self) -> bool {
        Handle::try_current().is_ok_and(|handle| self.is_of(handle.id()))
    }

    fn lock(&self) -> MutexGuard<'_, RuntimePoolState> {
        self.state.lock()
    }
}

impl Drop for RuntimePool {
    fn drop(&mut self) {
        self.end();
    }
}

impl OpenConnection {
    /// Leaves the connection to the next call. One that is too old for that goes back to the
    /// driver's pool.
    pub(super) fn keep(self) {
        let Self { connection, since, home } = self;
        let mut state = home.lock();
        if !state.is_over && since.elapsed() < KEPT_MAX {
            state.idle.push(IdleConnection { connection, since, idle_since: Instant::now() });
            return;
        }
        drop(state);
        Self { connection, since, home }.give_back();
    }

    /// Gives the connection back to the driver's pool, which tests it.
    pub(super) fn give_back(self) {
        if self.home.is_current() {
            drop(self.connection);
        } else {
            drop(self.connection.detach());
        }
    }

    /// Closes the connection, in good order where its runtime is the one that calls.
    pub(super) fn close(self) {
        let Self { mut connection, home, .. } = self;
        if home.is_current() {
            connection.close_on_drop();
        } else {
            drop(connection.detach());
        }
    }
}

impl std::ops::Deref for OpenConnection {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.connection
    }
}

impl std::ops::DerefMut for OpenConnection {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.connection
    }
}
