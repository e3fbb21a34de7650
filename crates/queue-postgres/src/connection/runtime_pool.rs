//! The connections that were opened on one runtime, which go from one call straight to the next.

use super::{
    acquire_error::AcquireError, idle_trust::IdleTrust, open_connection::OpenConnection,
    pooled::PooledConnection, settings::connect_within,
};
use parking_lot::{Mutex, MutexGuard};
use queue_store::RuntimePart;
use sqlx::{Connection, PgPool, Postgres, pool::PoolConnection, postgres::PgConnectOptions};
use std::{pin::pin, sync::Arc, time::Duration};
use tokio::{
    runtime::Handle,
    sync::{Notify, Semaphore, oneshot},
    time::{Instant, sleep, timeout},
};

/// How long the pool waits for a connection before it asks the server why there is none.
const ASK_AFTER: Duration = Duration::from_secs(1);
/// How long the server may take to say so. Both are less where calls wait for less.
pub(crate) const ASK_MAX: Duration = Duration::from_secs(2);

/// The connections that were opened on one runtime, and are used on that one alone.
///
/// The driver's pool pings a connection before it takes it back, so the next call finds none and
/// opens another: calls that follow each other would use several connections, and wait for them to
/// be made, which takes many round trips and, for the password, much work. Here a connection is
/// free as soon as its call is over. While a connection is being opened, all calls that have none
/// wait for it or for one that becomes free, whichever comes first. A task of its own opens the
/// connection, since the future of a call may lie where nothing polls it, and the others must not
/// wait for that.
///
/// A socket is registered with the runtime that opened it. Once that ended, what has to wait for
/// the socket fails, and what need not wait goes well: even a ping, if its answer is there by the
/// time of the look. So no test finds such a connection, and none passes from one runtime to
/// another.
#[derive(Debug)]
pub(super) struct RuntimePool {
    runtime: Handle,
    driver: PgPool,
    trust: Arc<IdleTrust>,
    acquire_timeout: Duration,
    /// One permit for each connection that is in use. So a caller that has one never waits for
    /// others in the driver's pool.
    permits: Arc<Semaphore>,
    /// Notified when a connection becomes free, and when none is being opened any more.
    changed: Notify,
    state: Mutex<RuntimePoolState>,
}

#[derive(Debug, Default)]
struct RuntimePoolState {
    idle: Vec<IdleConnection>,
    /// Whether a task is opening a connection.
    is_opening: bool,
    /// Whether the runtime ended, or the store was closed.
    is_over: bool,
    /// Why none could be made when the server was last asked.
    refusal: Option<AcquireError>,
}

/// A connection between two calls.
#[derive(Debug)]
struct IdleConnection {
    connection: PoolConnection<Postgres>,
    since: Instant,
    idle_since: Instant,
}

impl RuntimePool {
    /// Wraps a pool of the driver of which nothing else takes connections, for the runtime that
    /// calls this.
    pub(super) fn new(driver: PgPool, trust: Arc<IdleTrust>, acquire_timeout: Duration) -> Self {
        let permits = driver.options().get_max_connections();
        let permits = usize::try_from(permits).unwrap_or(Semaphore::MAX_PERMITS);
        Self {
            runtime: Handle::current(),
            driver,
            trust,
            acquire_timeout,
            permits: Arc::new(Semaphore::new(permits)),
            changed: Notify::new(),
            state: Mutex::default(),
        }
    }

    /// Waits for a connection. Dropping the future takes none.
    pub(super) async fn acquire(self: &Arc<Self>) -> Result<PooledConnection, AcquireError> {
        let waited = timeout(self.acquire_timeout, self.idle_or_new()).await;
        waited.unwrap_or_else(|_| Err(self.why_none()))
    }

    /// An idle connection, if there is one.
    pub(super) fn try_acquire(self: &Arc<Self>) -> Option<PooledConnection> {
        let permit = self.permits.clone().try_acquire_owned().ok()?;
        Some(PooledConnection::new(self.take_idle()?, permit))
    }

    /// Leaves the connection to the next call, unless none is kept any more.
    pub(super) fn keep(
        &self,
        connection: PoolConnection<Postgres>,
        since: Instant,
    ) -> Result<(), PoolConnection<Postgres>> {
        let mut state = self.lock();
        if state.is_over {
            return Err(connection);
        }
        state.idle.push(IdleConnection { connection, since, idle_since: Instant::now() });
        drop(state);
        // All waiting calls are notified, since the future of one may lie where nothing polls it.
        self.changed.notify_waiters();
        Ok(())
    }

    /// Whether the caller is on the runtime of these connections.
    pub(super) fn is_here(&self) -> bool {
        Handle::try_current().is_ok_and(|here| here.id() == self.runtime.id())
    }

    pub(super) fn set_connect_options(&self, connect: PgConnectOptions) {
        self.driver.set_connect_options(connect);
    }

    /// Gives and keeps no connection from now on, and cuts those that idle: their runtime may be at
    /// its end, or stand still, and could not close them in good order.
    pub(super) fn close(&self) {
        self.permits.close();
        let mut state = self.lock();
        state.is_over = true;
        let idle = std::mem::take(&mut state.idle);
        drop(state);
        drop(idle.into_iter().map(|idle| idle.connection.detach()).collect::<Vec<_>>());
        self.changed.notify_waiters();
    }

    /// Waits until the connections that are in use are closed.
    pub(super) async fn closed(&self) {
        self.driver.close().await;
    }

    async fn idle_or_new(self: &Arc<Self>) -> Result<PooledConnection, AcquireError> {
        let permit = self.permits.clone().acquire_owned().await.map_err(|_| AcquireError::Over)?;
        loop {
            // The call listens before it looks, or it would miss a connection that becomes free in
            // between.
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            if let Some(connection) = self.take_idle() {
                return Ok(PooledConnection::new(connection, permit));
            }
            if self.lock().is_over {
                return Err(AcquireError::Over);
            }
            let Some(failure) = self.open() else {
                changed.await;
                continue;
            };
            tokio::select! {
                biased;
                Ok(error) = failure => return Err(error),
                () = changed => {}
            }
        }
    }

    /// Takes the connection that was used last, so that the others may idle for long enough to be
    /// closed. Connections that idled for too long to be trusted go back to the driver's pool,
    /// which pings them.
    fn take_idle(self: &Arc<Self>) -> Option<OpenConnection> {
        let mut state = self.lock();
        let (mut fresh, doubtful): (Vec<_>, Vec<_>) =
            state.idle.drain(..).partition(|idle| self.trust.covers(idle.idle_since.elapsed()));
        let taken = fresh.pop();
        state.idle = fresh;
        // The lock goes before the doubtful connections do, since dropping one wakes the driver's
        // pool.
        drop(state);
        drop(doubtful);
        taken.map(|idle| OpenConnection::new(idle.connection, idle.since, self.clone()))
    }

    /// Starts the task that opens a connection, unless one runs. The receiver gets the error if the
    /// task fails. The task runs on the runtime of these connections, which the caller may have
    /// left, and for no longer than the driver waits for a connection.
    fn open(self: &Arc<Self>) -> Option<oneshot::Receiver<AcquireError>> {
        if std::mem::replace(&mut self.lock().is_opening, true) {
            return None;
        }
        let (fails, failure) = oneshot::channel();
        let opening = OpeningGuard(self.clone());
        drop(self.runtime.spawn(async move {
            let pool = &opening.0;
            match pool.open_or_learn_why_not().await {
                Ok(connection) => {
                    pool.lock().refusal = None;
                    connection.keep();
                }
                // The call that asked may have found another connection.
                Err(error) => drop(fails.send(error)),
            }
        }));
        Some(failure)
    }

    async fn open_or_learn_why_not(self: &Arc<Self>) -> Result<OpenConnection, AcquireError> {
        // The driver's pool makes a connection, or tests one that it has.
        let mut opened = pin!(self.driver.acquire());
        let opened = tokio::select! {
            biased;
            opened = &mut opened => opened,
            () = self.learn_why_not() => opened.await,
        };
        let opened = opened.map_err(|error| match error {
            sqlx::Error::PoolTimedOut => self.why_none(),
            sqlx::Error::PoolClosed => AcquireError::Over,
            error => AcquireError::Unreachable(self.driver.connect_options(), Arc::new(error)),
        });
        opened.map(|connection| OpenConnection::new(connection, Instant::now(), self.clone()))
    }

    /// Asks the server once, beside the driver's pool, which goes on trying and keeps to itself
    /// what the server says.
    async fn learn_why_not(&self) {
        sleep(ASK_AFTER.min(self.acquire_timeout / 4)).await;
        let connect = self.driver.connect_options();
        match connect_within(ASK_MAX.min(self.acquire_timeout / 2), &connect).await {
            // Nothing depends on whether this connection closes well.
            Ok(connection) => drop(connection.close().await),
            Err(error) => self.lock().refusal = Some(AcquireError::Unreachable(connect, Arc::new(error))),
        }
    }

    /// Why a call got no connection in time. What a server said before counts only while another
    /// connection is wanted of it.
    fn why_none(&self) -> AcquireError {
        let state = self.lock();
        let refusal = state.refusal.clone().filter(|_| state.is_opening);
        refusal.unwrap_or(AcquireError::Busy)
    }

    fn lock(&self) -> MutexGuard<'_, RuntimePoolState> {
        self.state.lock()
    }
}

impl RuntimePart for RuntimePool {
    fn end(&self) {
        self.close();
    }
}

impl Drop for RuntimePool {
    fn drop(&mut self) {
        self.close();
    }
}

/// Held by the task that opens a connection, which may go with its runtime.
struct OpeningGuard(Arc<RuntimePool>);

impl Drop for OpeningGuard {
    fn drop(&mut self) {
        self.0.lock().is_opening = false;
        self.0.changed.notify_waiters();
    }
}
