use sqlx::{PgConnection, Postgres, pool::PoolConnection};
use std::ops::{Deref, DerefMut};

/// A connection of the pool that goes back only if its call ran to its end.
///
/// A call whose future is dropped half-way may leave a transaction open of which the driver knows nothing, since it counts
/// one only once `BEGIN` was answered. The next statement on that connection would then be acknowledged and never
/// committed (I1). So such a connection is closed.
#[derive(Debug)]
pub(crate) struct Lent {
    connection: PoolConnection<Postgres>,
    is_done: bool,
}

impl Lent {
    pub(crate) fn new(connection: PoolConnection<Postgres>) -> Self {
        Self { connection, is_done: false }
    }

    /// The call ran to its end, well or not.
    pub(crate) fn done(mut self) {
        self.is_done = true;
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if !self.is_done {
            self.connection.close_on_drop();
        }
    }
}

impl Deref for Lent {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.connection
    }
}

impl DerefMut for Lent {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.connection
    }
}
