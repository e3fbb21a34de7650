use crate::{
    connect::{Trust, connect_within},
    lent::Lent,
    unserved::Unserved,
};
use parking_lot::{Mutex, MutexGuard};
use sqlx::{Connection, PgPool, Postgres, pool::PoolConnection, postgres::PgConnectOptions};
use std::{pin::pin, sync::Arc, time::Duration};
use tokio::{
    runtime::{Handle, Id},
    sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot},
    time::{Instant, sleep, timeout},
};

/// How long a connection goes from call to call before the driver's pool looks at it again, which ends those that have
/// lived for too long.
const KEPT_MAX: Duration = Duration::from_mins(1);
/// After so long without a connection the server is asked why there is none, and how long that may take. Both are less where
/// calls wait for less.
const ASK_AFTER: Duration = Duration::from_secs(1);
pub(crate) const ASK_MAX: Duration = Duration::from_secs(2);

/// Connections that go from one call straight to the next.
///
/// The driver's pool asks a connection for a sign of life before it takes it back, so the next call finds none and opens
/// another: calls that follow each other would use several connections, and wait for them to be made, which takes
/// many round trips and, for the password, much work. Here a connection is free as soon as its call is over. While one is being
/// opened, all calls that have none wait for it or for one that becomes free, whichever comes first. A task of its own opens
/// it, since a call may rest where nobody polls it, and the others must not wait for that.
#[derive(Debug)]
pub(crate) struct Pool {
    driver: PgPool,
    trust: Arc<Trust>,
    acquire_timeout: Duration,
    /// One for each connection that is in use. So a caller that has one never waits for others in the driver's pool.
    permits: Arc<Semaphore>,
    /// There is a connection, or nobody opens one any more.
    changed: Notify,
    free: Mutex<Free>,
}

#[derive(Debug, Default)]
struct Free {
    kept: Vec<Kept>,
    /// A task opens one.
    is_opening: bool,
    is_closed: bool,
    /// Why none could be made when one was last asked for.
    refusal: Option<Unserved>,
    /// Where the last call ran.
    runtime: Option<Id>,
}

/// A connection between two calls.
#[derive(Debug)]
struct Kept {
    connection: PoolConnection<Postgres>,
    /// When the driver's pool gave it out.
    since: Instant,
    free_since: Instant,
    /// A connection does not outlive the runtime that opened it.
    runtime: Option<Id>,
}

impl Pool {
    /// Over a pool of which nobody else takes connections.
    pub(crate) fn new(driver: PgPool, trust: Arc<Trust>, acquire_timeout: Duration) -> Arc<Self> {
        let connections = driver.options().get_max_connections();
        let permits = usize::try_from(connections).unwrap_or(Semaphore::MAX_PERMITS);
        Arc::new(Self {
            driver,
            trust,
            acquire_timeout,
            permits: Arc::new(Semaphore::new(permits)),
            changed: Notify::new(),
            free: Mutex::default(),
        })
    }

    /// Waits for a connection. Dropping the future takes none.
    pub(crate) async fn acquire(self: &Arc<Self>) -> Result<Lent, Unserved> {
        self.note_runtime();
        let taken = timeout(self.acquire_timeout, self.take()).await;
        taken.unwrap_or_else(|_| Err(self.unserved()))
    }

    /// Why nothing was to be had in time. What a server said before counts only while another connection is wanted of it.
    fn unserved(&self) -> Unserved {
        let free = self.lock();
        let refusal = free.refusal.clone().filter(|_| free.is_opening);
        refusal.unwrap_or(Unserved::Busy)
    }

    /// One that is free, if there is one.
    pub(crate) fn try_acquire(self: &Arc<Self>) -> Option<Lent> {
        self.note_runtime();
        let permit = self.permits.clone().try_acquire_owned().ok()?;
        let (connection, since) =
            self.pop().or_else(|| Some((self.driver.try_acquire()?, Instant::now())))?;
        Some(Lent::new(self.clone(), connection, since, permit))
    }

    /// Closes all of them, waiting for those that are in use.
    pub(crate) async fn close(&self) {
        let kept = {
            let mut free = self.lock();
            free.is_closed = true;
            std::mem::take(&mut free.kept)
        };
        drop(kept);
        self.driver.close().await;
    }

    /// How connections are made.
    pub(crate) fn connect_options(&self) -> Arc<PgConnectOptions> {
        self.driver.connect_options()
    }

    /// How they are made from now on.
    pub(crate) fn set_connect_options(&self, connect: PgConnectOptions) {
        self.driver.set_connect_options(connect);
    }

    /// A call is over, and left the connection as it found it.
    pub(crate) fn give_back(
        &self,
        connection: PoolConnection<Postgres>,
        since: Instant,
        permit: OwnedSemaphorePermit,
    ) {
        self.keep(connection, since);
        // Whoever waits for the permit shall find the connection.
        drop(permit);
    }

    fn keep(&self, connection: PoolConnection<Postgres>, since: Instant) {
        let mut free = self.lock();
        let is_kept = !free.is_closed && since.elapsed() < KEPT_MAX;
        if is_kept {
            let runtime = Handle::try_current().ok().map(|handle| handle.id());
            free.kept.push(Kept { connection, since, free_since: Instant::now(), runtime });
        }
        drop(free);
        // All of them, since one may rest where nobody polls it.
        self.changed.notify_waiters();
    }

    async fn take(self: &Arc<Self>) -> Result<Lent, Unserved> {
        let permits = self.permits.clone().acquire_owned().await;
        let permit = permits.map_err(|_| Unserved::Closed)?;
        let (connection, since) = self.free_or_new().await?;
        Ok(Lent::new(self.clone(), connection, since, permit))
    }

    async fn free_or_new(self: &Arc<Self>) -> Result<(PoolConnection<Postgres>, Instant), Unserved> {
        loop {
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            if let Some(free) = self.pop() {
                return Ok(free);
            }
            let Some(failure) = self.open() else {
                changed.await;
                continue;
            };
            tokio::select! {
                biased;
                Ok(unserved) = failure => return Err(unserved),
                () = changed => {}
            }
        }
    }

    /// Has one opened, unless that is under way; the receiver is told if it fails.
    #[expect(clippy::disallowed_methods, reason = "bounded by the driver's time to wait for a connection")]
    fn open(self: &Arc<Self>) -> Option<oneshot::Receiver<Unserved>> {
        if std::mem::replace(&mut self.lock().is_opening, true) {
            return None;
        }
        let (fails, failure) = oneshot::channel();
        let opening = Opening(self.clone());
        tokio::spawn(async move {
            match opening.0.open_or_learn_why_not().await {
                Ok(connection) => {
                    opening.0.lock().refusal = None;
                    opening.0.keep(connection, Instant::now());
                }
                // Whoever asked may have found another.
                Err(unserved) => drop(fails.send(unserved)),
            }
        });
        Some(failure)
    }

    async fn open_or_learn_why_not(&self) -> Result<PoolConnection<Postgres>, Unserved> {
        let mut opened = pin!(self.driver.acquire());
        let opened = tokio::select! {
            biased;
            opened = &mut opened => opened,
            () = self.learn_why_not() => opened.await,
        };
        opened.map_err(|error| match error {
            sqlx::Error::PoolTimedOut => self.unserved(),
            sqlx::Error::PoolClosed => Unserved::Closed,
            error => Unserved::Unreachable(self.connect_options(), Arc::new(error)),
        })
    }

    /// The driver's pool goes on trying, and keeps to itself what it is told; so the server is asked beside it, once.
    async fn learn_why_not(&self) {
        sleep(ASK_AFTER.min(self.acquire_timeout / 4)).await;
        let connect = self.connect_options();
        match connect_within(ASK_MAX.min(self.acquire_timeout / 2), &connect).await {
            // That it closes badly is nobody's concern.
            Ok(connection) => drop(connection.close().await),
            Err(error) => self.lock().refusal = Some(Unserved::Unreachable(connect, Arc::new(error))),
        }
    }

    /// The one that was used last, so that the others may be idle for long enough to be closed: those that are too old to be
    /// trusted go back to the driver's pool, which asks them.
    fn pop(&self) -> Option<(PoolConnection<Postgres>, Instant)> {
        let runtime = Handle::try_current().ok().map(|handle| handle.id());
        let mut stale = Vec::new();
        let mut free = self.lock();
        let mut fresh = Vec::new();
        for kept in free.kept.drain(..) {
            let is_fresh = kept.runtime == runtime && self.trust.covers(kept.free_since.elapsed());
            if is_fresh { &mut fresh } else { &mut stale }.push(kept);
        }
        free.kept = fresh;
        let popped = free.kept.pop();
        drop(free);
        popped.map(|kept| (kept.connection, kept.since))
    }

    /// The connections of a runtime that ended are dead, and look alive.
    fn note_runtime(&self) {
        let runtime = Handle::try_current().ok().map(|handle| handle.id());
        let before = std::mem::replace(&mut self.lock().runtime, runtime);
        if before.is_some() && before != runtime {
            self.trust.lose();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Free> {
        self.free.lock()
    }
}

/// Held by the task that opens a connection, which may go with its runtime.
struct Opening(Arc<Pool>);

impl Drop for Opening {
    fn drop(&mut self) {
        self.0.lock().is_opening = false;
        self.0.changed.notify_waiters();
    }
}

impl Drop for Pool {
    /// Cuts the connections that are left, since there may be no runtime that could close them in good order.
    fn drop(&mut self) {
        for kept in std::mem::take(&mut self.lock().kept) {
            drop(kept.connection.detach());
        }
    }
}
