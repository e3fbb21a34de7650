//! A pool whose connections go from one call straight to the next.

use super::{
    acquire_error::AcquireError, idle_trust::IdleTrust, pooled::PooledConnection, settings::connect_within,
};
use parking_lot::{Mutex, MutexGuard};
use sqlx::{Connection, PgPool, Postgres, pool::PoolConnection, postgres::PgConnectOptions};
use std::{pin::pin, sync::Arc, time::Duration};
use tokio::{
    runtime::{Handle, Id},
    sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot},
    time::{Instant, sleep, timeout},
};

/// How long a connection goes from call to call before the driver's pool looks at it again, which
/// ends connections that have lived for too long.
const KEPT_MAX: Duration = Duration::from_mins(1);
/// How long the pool waits for a connection before it asks the server why there is none.
const ASK_AFTER: Duration = Duration::from_secs(1);
/// How long the server may take to say so. Both are less where calls wait for less.
pub(crate) const ASK_MAX: Duration = Duration::from_secs(2);

/// Connections that go from one call straight to the next.
///
/// The driver's pool pings a connection before it takes it back, so the next call finds none and
/// opens another: calls that follow each other would use several connections, and wait for them to
/// be made, which takes many round trips and, for the password, much work. Here a connection is
/// free as soon as its call is over. While a connection is being opened, all calls that have none
/// wait for it or for one that becomes free, whichever comes first. A task of its own opens the
/// connection, since the future of a call may lie where nobody polls it, and the others must not
/// wait for that.
#[derive(Debug)]
pub(crate) struct Pool {
    driver: PgPool,
    trust: Arc<IdleTrust>,
    acquire_timeout: Duration,
    /// One permit for each connection that is in use. So a caller that has one never waits for
    /// others in the driver's pool.
    permits: Arc<Semaphore>,
    /// Notified when a connection becomes free, and when nobody opens one any more.
    changed: Notify,
    state: Mutex<PoolState>,
}

#[derive(Debug, Default)]
struct PoolState {
    idle: Vec<IdleConnection>,
    /// Whether a task is opening a connection.
    is_opening: bool,
    is_closed: bool,
    /// Why none could be made when the server was last asked.
    refusal: Option<AcquireError>,
    /// The runtime of the last call.
    runtime: Option<Id>,
}

/// A connection between two calls.
#[derive(Debug)]
struct IdleConnection {
    connection: PoolConnection<Postgres>,
    /// When the driver's pool gave it out.
    since: Instant,
    idle_since: Instant,
    /// A connection does not outlive the runtime that opened it.
    runtime: Option<Id>,
}

impl Pool {
    /// Wraps a pool of the driver of which nobody else takes connections.
    pub(super) fn new(driver: PgPool, trust: Arc<IdleTrust>, acquire_timeout: Duration) -> Arc<Self> {
        let connections = driver.options().get_max_connections();
        let permits = usize::try_from(connections).unwrap_or(Semaphore::MAX_PERMITS);
        Arc::new(Self {
            driver,
            trust,
            acquire_timeout,
            permits: Arc::new(Semaphore::new(permits)),
            changed: Notify::new(),
            state: Mutex::default(),
        })
    }

    /// Waits for a connection. Dropping the future takes none.
    pub(super) async fn acquire(self: &Arc<Self>) -> Result<PooledConnection, AcquireError> {
        self.note_runtime();
        let waited = timeout(self.acquire_timeout, self.idle_or_new()).await;
        waited.unwrap_or_else(|_| Err(self.why_none()))
    }

    /// An idle connection, if there is one.
    pub(super) fn try_acquire(self: &Arc<Self>) -> Option<PooledConnection> {
        self.note_runtime();
        let permit = self.permits.clone().try_acquire_owned().ok()?;
        let (connection, since) =
            self.take_idle().or_else(|| Some((self.driver.try_acquire()?, Instant::now())))?;
        Some(PooledConnection::new(self.clone(), connection, since, permit))
    }

    /// Closes all connections, waiting for those that are in use.
    pub(super) async fn close(&self) {
        let idle = {
            let mut state = self.lock();
            state.is_closed = true;
            std::mem::take(&mut state.idle)
        };
        drop(idle);
        self.driver.close().await;
    }

    /// How connections are made.
    pub(super) fn connect_options(&self) -> Arc<PgConnectOptions> {
        self.driver.connect_options()
    }

    /// Changes how connections are made from now on.
    pub(super) fn set_connect_options(&self, connect: PgConnectOptions) {
        self.driver.set_connect_options(connect);
    }

    /// Takes back the connection of a call that is over and left it as it found it.
    pub(super) fn give_back(
        &self,
        connection: PoolConnection<Postgres>,
        since: Instant,
        permit: OwnedSemaphorePermit,
    ) {
        self.keep(connection, since);
        // The permit goes last, so that the call that waits for it finds the connection.
        drop(permit);
    }

    fn keep(&self, connection: PoolConnection<Postgres>, since: Instant) {
        let mut state = self.lock();
        let is_kept = !state.is_closed && since.elapsed() < KEPT_MAX;
        if is_kept {
            let runtime = Handle::try_current().ok().map(|handle| handle.id());
            state.idle.push(IdleConnection { connection, since, idle_since: Instant::now(), runtime });
        }
        drop(state);
        // All waiting calls are told, since the future of one may lie where nobody polls it.
        self.changed.notify_waiters();
    }

    async fn idle_or_new(self: &Arc<Self>) -> Result<PooledConnection, AcquireError> {
        let permit = self.permits.clone().acquire_owned().await.map_err(|_| AcquireError::Closed)?;
        loop {
            // The call listens before it looks, or it would miss a connection that becomes free in
            // between.
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            if let Some((connection, since)) = self.take_idle() {
                return Ok(PooledConnection::new(self.clone(), connection, since, permit));
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
    fn take_idle(&self) -> Option<(PoolConnection<Postgres>, Instant)> {
        let runtime = Handle::try_current().ok().map(|handle| handle.id());
        let mut doubtful = Vec::new();
        let mut fresh = Vec::new();
        let mut state = self.lock();
        for idle in state.idle.drain(..) {
            let is_fresh = idle.runtime == runtime && self.trust.covers(idle.idle_since.elapsed());
            if is_fresh { &mut fresh } else { &mut doubtful }.push(idle);
        }
        state.idle = fresh;
        let taken = state.idle.pop();
        // The lock goes before the doubtful connections do, since dropping one wakes the driver's
        // pool.
        drop(state);
        taken.map(|idle| (idle.connection, idle.since))
    }

    /// Starts the task that opens a connection, unless one runs. The receiver is told if the task
    /// fails.
    #[expect(clippy::disallowed_methods, reason = "bounded by the driver's time to wait for a connection")]
    fn open(self: &Arc<Self>) -> Option<oneshot::Receiver<AcquireError>> {
        if std::mem::replace(&mut self.lock().is_opening, true) {
            return None;
        }
        let (fails, failure) = oneshot::channel();
        let opening = OpeningGuard(self.clone());
        tokio::spawn(async move {
            match opening.0.open_or_learn_why_not().await {
                Ok(connection) => {
                    opening.0.lock().refusal = None;
                    opening.0.keep(connection, Instant::now());
                }
                // The call that asked may have found another connection.
                Err(error) => drop(fails.send(error)),
            }
        });
        Some(failure)
    }

    async fn open_or_learn_why_not(&self) -> Result<PoolConnection<Postgres>, AcquireError> {
        let mut opened = pin!(self.driver.acquire());
        let opened = tokio::select! {
            biased;
            opened = &mut opened => opened,
            () = self.learn_why_not() => opened.await,
        };
        opened.map_err(|error| match error {
            sqlx::Error::PoolTimedOut => self.why_none(),
            sqlx::Error::PoolClosed => AcquireError::Closed,
            error => AcquireError::Unreachable(self.connect_options(), Arc::new(error)),
        })
    }

    /// Asks the server once, beside the driver's pool, which goes on trying and keeps to itself
    /// what it is told.
    async fn learn_why_not(&self) {
        sleep(ASK_AFTER.min(self.acquire_timeout / 4)).await;
        let connect = self.connect_options();
        match connect_within(ASK_MAX.min(self.acquire_timeout / 2), &connect).await {
            // Whether this connection closes well matters to nobody.
            Ok(connection) => drop(connection.close().await),
            Err(error) => self.lock().refusal = Some(AcquireError::Unreachable(connect, Arc::new(error))),
        }
    }

    /// Why no connection was to be had in time. What a server said before counts only while another
    /// connection is wanted of it.
    fn why_none(&self) -> AcquireError {
        let state = self.lock();
        let refusal = state.refusal.clone().filter(|_| state.is_opening);
        refusal.unwrap_or(AcquireError::Busy)
    }

    /// Notices a change of runtime: the connections of a runtime that ended are dead, and look
    /// alive.
    fn note_runtime(&self) {
        let runtime = Handle::try_current().ok().map(|handle| handle.id());
        let before = std::mem::replace(&mut self.lock().runtime, runtime);
        if before.is_some() && before != runtime {
            self.trust.lose();
        }
    }

    fn lock(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock()
    }
}

/// Held by the task that opens a connection, which may go with its runtime.
struct OpeningGuard(Arc<Pool>);

impl Drop for OpeningGuard {
    fn drop(&mut self) {
        self.0.lock().is_opening = false;
        self.0.changed.notify_waiters();
    }
}

impl Drop for Pool {
    /// Cuts the connections that are left, since there may be no runtime that could close them in
    /// good order.
    fn drop(&mut self) {
        for idle in std::mem::take(&mut self.lock().idle) {
            drop(idle.connection.detach());
        }
    }
}
