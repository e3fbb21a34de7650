//! A pool whose connections go from one call straight to the next.

use super::{
    acquire_error::AcquireError,
    idle_trust::IdleTrust,
    pooled::PooledConnection,
    runtime_pool::{OpenConnection, RuntimePool},
    settings::connect_within,
};
use parking_lot::{Mutex, MutexGuard};
use sqlx::{
    Connection,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use std::{
    pin::pin,
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::{
    runtime::{Handle, Id},
    sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot},
    time::{sleep, timeout},
};

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
///
/// Each runtime that calls has connections of its own ([`RuntimePool`]), within one limit for all.
#[derive(Debug)]
pub(crate) struct Pool {
    options: PgPoolOptions,
    trust: Arc<IdleTrust>,
    acquire_timeout: Duration,
    /// One permit for each connection that is in use. So a caller that has one never waits for
    /// others in the driver's pool.
    permits: Arc<Semaphore>,
    /// Notified when a connection becomes free, and when nobody opens one any more.
    changed: Notify,
    state: Mutex<PoolState>,
}

#[derive(Debug)]
struct PoolState {
    /// How connections are made.
    connect: Arc<PgConnectOptions>,
    runtimes: Vec<Arc<RuntimePool>>,
    /// Why none could be made when the server was last asked.
    refusal: Option<AcquireError>,
}

impl Pool {
    /// Makes the pool; it opens nothing yet.
    pub(super) fn new(
        options: PgPoolOptions,
        connect: PgConnectOptions,
        trust: Arc<IdleTrust>,
        acquire_timeout: Duration,
    ) -> Arc<Self> {
        let permits = usize::try_from(options.get_max_connections()).unwrap_or(Semaphore::MAX_PERMITS);
        let state = PoolState { connect: Arc::new(connect), runtimes: Vec::new(), refusal: None };
        Arc::new(Self {
            options,
            trust,
            acquire_timeout,
            permits: Arc::new(Semaphore::new(permits)),
            changed: Notify::new(),
            state: Mutex::new(state),
        })
    }

    /// Waits for a connection. Dropping the future takes none.
    pub(super) async fn acquire(self: &Arc<Self>) -> Result<PooledConnection, AcquireError> {
        let waited = timeout(self.acquire_timeout, self.idle_or_new()).await;
        waited.unwrap_or_else(|_| Err(self.why_none()))
    }

    /// An idle connection, if there is one.
    pub(super) fn try_acquire(self: &Arc<Self>) -> Option<PooledConnection> {
        let permit = self.permits.clone().try_acquire_owned().ok()?;
        let connection = self.of_this_runtime().take_idle()?;
        Some(PooledConnection::new(self.clone(), connection, permit))
    }

    /// Closes all connections, waiting for those that are in use.
    pub(super) async fn close(&self) {
        self.permits.close();
        let runtimes = std::mem::take(&mut self.lock().runtimes);
        for runtime in runtimes {
            runtime.close().await;
        }
    }

    /// How connections are made.
    pub(super) fn connect_options(&self) -> Arc<PgConnectOptions> {
        self.lock().connect.clone()
    }

    /// Changes how connections are made from now on.
    pub(super) fn set_connect_options(&self, connect: PgConnectOptions) {
        let mut state = self.lock();
        for runtime in &state.runtimes {
            runtime.driver.set_connect_options(connect.clone());
        }
        state.connect = Arc::new(connect);
    }

    /// Takes back the connection of a call that is over and left it as it found it.
    pub(super) fn give_back(&self, connection: OpenConnection, permit: OwnedSemaphorePermit) {
        self.keep(connection);
        // The permit goes last, so that the call that waits for it finds the connection.
        drop(permit);
    }

    fn keep(&self, connection: OpenConnection) {
        connection.keep();
        // All waiting calls are told, since the future of one may lie where nobody polls it.
        self.changed.notify_waiters();
    }

    async fn idle_or_new(self: &Arc<Self>) -> Result<PooledConnection, AcquireError> {
        let permit = self.permits.clone().acquire_owned().await.map_err(|_| AcquireError::Closed)?;
        let runtime = self.of_this_runtime();
        loop {
            // The call listens before it looks, or it would miss a connection that becomes free in
            // between.
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            if let Some(connection) = runtime.take_idle() {
                return Ok(PooledConnection::new(self.clone(), connection, permit));
            }
            let Some(failure) = self.open(&runtime) else {
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

    /// The connections of the runtime that calls.
    fn of_this_runtime(self: &Arc<Self>) -> Arc<RuntimePool> {
        let runtime = Handle::current().id();
        let mut state = self.lock();
        if let Some(known) = state.runtimes.iter().find(|known| known.is_of(runtime)) {
            return known.clone();
        }
        let (in_use, unused) = oneshot::channel();
        let driver = self.options.clone().connect_lazy_with((*state.connect).clone());
        let pool = Arc::new(RuntimePool::new(runtime, driver, self.trust.clone(), in_use));
        state.runtimes.push(pool.clone());
        // The lock goes first: a runtime that is ending drops the task at once, and the task's
        // guard, which takes the lock.
        drop(state);
        self.watch(runtime, unused);
        pool
    }

    /// Starts the task that goes with its runtime, at whose end the connections go. It ends too
    /// when nobody uses them any more.
    #[expect(clippy::disallowed_methods, reason = "ends with the pool that it watches over")]
    fn watch(self: &Arc<Self>, runtime: Id, unused: oneshot::Receiver<()>) {
        let guard = RuntimeGuard { pool: Arc::downgrade(self), runtime };
        tokio::spawn(async move {
            let _guard = guard;
            // The sender sends nothing: it is dropped.
            drop(unused.await);
        });
    }

    /// Starts the task that opens a connection, unless one runs. The receiver is told if the task
    /// fails.
    #[expect(clippy::disallowed_methods, reason = "bounded by the driver's time to wait for a connection")]
    fn open(self: &Arc<Self>, runtime: &Arc<RuntimePool>) -> Option<oneshot::Receiver<AcquireError>> {
        if !runtime.begins_opening() {
            return None;
        }
        let (fails, failure) = oneshot::channel();
        let opening = OpeningGuard { pool: self.clone(), runtime: runtime.clone() };
        tokio::spawn(async move {
            let pool = &opening.pool;
            pool.make_room(&opening.runtime);
            match pool.open_or_learn_why_not(&opening.runtime).await {
                Ok(connection) => {
                    pool.lock().refusal = None;
                    pool.keep(connection);
                }
                // The call that asked may have found another connection.
                Err(error) => drop(fails.send(error)),
            }
        });
        Some(failure)
    }

    /// Cuts idle connections of other runtimes where there is no room for one more.
    fn make_room(&self, runtime: &Arc<RuntimePool>) {
        let runtimes = self.lock().runtimes.clone();
        let is_full = || {
            let open: u32 = runtimes.iter().map(|each| each.driver.size()).sum();
            runtime.driver.num_idle() == 0 && open >= self.options.get_max_connections()
        };
        for other in runtimes.iter().filter(|other| !Arc::ptr_eq(other, runtime)) {
            while is_full() && other.cut_one() {}
        }
    }

    async fn open_or_learn_why_not(
        &self,
        runtime: &Arc<RuntimePool>,
    ) -> Result<OpenConnection, AcquireError> {
        let mut opened = pin!(runtime.open());
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
        let is_opening = state.runtimes.iter().any(|runtime| runtime.is_opening());
        let refusal = state.refusal.clone().filter(|_| is_opening);
        refusal.unwrap_or(AcquireError::Busy)
    }

    fn lock(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock()
    }
}

/// Held by the task that opens a connection, which may go with its runtime.
struct OpeningGuard {
    pool: Arc<Pool>,
    runtime: Arc<RuntimePool>,
}

impl Drop for OpeningGuard {
    fn drop(&mut self) {
        self.runtime.ends_opening();
        self.pool.changed.notify_waiters();
    }
}

/// Held by a task that goes with its runtime.
struct RuntimeGuard {
    pool: Weak<Pool>,
    runtime: Id,
}

impl Drop for RuntimeGuard {
    fn drop(&mut self) {
        let Some(pool) = self.pool.upgrade() else { return };
        let mut state = pool.lock();
        let ended: Vec<_> = state.runtimes.extract_if(.., |each| each.is_of(self.runtime)).collect();
        drop(state);
        for runtime in ended {
            runtime.end();
        }
    }
}
