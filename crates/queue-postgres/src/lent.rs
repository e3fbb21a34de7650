use crate::pool::Pool;
use sqlx::{PgConnection, Postgres, pool::PoolConnection};
use std::{
    fmt,
    ops::{Deref, DerefMut},
    sync::Arc,
};
use tokio::{sync::OwnedSemaphorePermit, time::Instant};

/// A connection of the pool that goes back only if its call ran to its end.
///
/// A call whose future is dropped half-way may leave a transaction open of which the driver knows nothing, since it counts
/// one only once `BEGIN` was answered. The next statement on that connection would then be acknowledged and never
/// committed (I1). So such a connection is closed.
pub(crate) struct Lent {
    pool: Arc<Pool>,
    /// Gone once it went back.
    parts: Option<Parts>,
}

struct Parts {
    connection: PoolConnection<Postgres>,
    /// When the driver's pool gave it out.
    since: Instant,
    permit: OwnedSemaphorePermit,
}

impl Lent {
    pub(crate) fn new(
        pool: Arc<Pool>,
        connection: PoolConnection<Postgres>,
        since: Instant,
        permit: OwnedSemaphorePermit,
    ) -> Self {
        Self { pool, parts: Some(Parts { connection, since, permit }) }
    }

    /// The call ran to its end. One that went well leaves the connection to the next; after any other the driver looks at it
    /// first.
    pub(crate) fn done(mut self, went_well: bool) {
        let Some(Parts { connection, since, permit }) = self.parts.take() else { return };
        if went_well {
            self.pool.give_back(connection, since, permit);
        }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(Parts { connection, .. }) = &mut self.parts {
            connection.close_on_drop();
        }
    }
}

impl Deref for Lent {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.parts.as_ref().expect("it is gone only once this is").connection
    }
}

impl DerefMut for Lent {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.parts.as_mut().expect("it is gone only once this is").connection
    }
}

impl fmt::Debug for Lent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lent").finish_non_exhaustive()
    }
}
