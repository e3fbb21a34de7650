//! A connection that a call uses, and the runtime that it belongs to.

use super::runtime_pool::RuntimePool;
use sqlx::{PgConnection, Postgres, pool::PoolConnection};
use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
    time::Duration,
};
use tokio::{sync::OwnedSemaphorePermit, time::Instant};

/// How long a connection goes from call to call before the driver's pool looks at it again, which
/// ends connections that have lived for too long.
const KEPT_MAX: Duration = Duration::from_mins(1);

/// A connection and the runtime that it belongs to. The call that uses it may end on another one,
/// to which its future has moved.
pub(super) struct OpenConnection {
    connection: PoolConnection<Postgres>,
    /// When the driver's pool gave the connection out.
    since: Instant,
    home: Arc<RuntimePool>,
}

impl OpenConnection {
    pub(super) fn new(connection: PoolConnection<Postgres>, since: Instant, home: Arc<RuntimePool>) -> Self {
        Self { connection, since, home }
    }

    /// Leaves the connection to the next call, and gives the permit of this one back.
    pub(super) fn keep_for_next(self, permit: OwnedSemaphorePermit) {
        self.keep();
        // The permit goes last, so that the call that waits for it finds the connection.
        drop(permit);
    }

    /// Leaves the connection to the next call. One that is too old for that goes back to the
    /// driver's pool.
    pub(super) fn keep(self) {
        let Self { connection, since, home } = self;
        let kept = if since.elapsed() < KEPT_MAX { home.keep(connection, since) } else { Err(connection) };
        if let Err(connection) = kept {
            Self { connection, since, home }.give_back();
        }
    }

    /// Gives the connection back to the driver's pool, which tests it.
    pub(super) fn give_back(self) {
        if self.home.is_here() {
            drop(self.connection);
        } else {
            drop(self.connection.detach());
        }
    }

    /// Closes the connection, in good order where its runtime is the one that calls.
    pub(super) fn close(self) {
        let Self { mut connection, home, .. } = self;
        if home.is_here() {
            connection.close_on_drop();
        } else {
            drop(connection.detach());
        }
    }
}

impl Deref for OpenConnection {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.connection
    }
}

impl DerefMut for OpenConnection {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.connection
    }
}
