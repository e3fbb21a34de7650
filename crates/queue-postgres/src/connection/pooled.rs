//! A connection that a pool gave to one call.

use super::open_connection::OpenConnection;
use sqlx::PgConnection;
use std::{
    fmt,
    ops::{Deref, DerefMut},
};
use tokio::sync::OwnedSemaphorePermit;

/// A connection of the pool that goes back only if its call ran to its end.
///
/// A call whose future is dropped half-way may leave a transaction open that the driver knows
/// nothing of, since the driver counts a transaction only once `BEGIN` was answered. The next
/// statement on that connection would then be acknowledged and never committed (I1). So such a
/// connection is closed.
pub(crate) struct PooledConnection {
    /// None once the connection went back.
    loan: Option<Loan>,
}

struct Loan {
    connection: OpenConnection,
    permit: OwnedSemaphorePermit,
}

impl PooledConnection {
    pub(super) fn new(connection: OpenConnection, permit: OwnedSemaphorePermit) -> Self {
        Self { loan: Some(Loan { connection, permit }) }
    }

    /// Ends the loan of a call that ran to its end. A call that went well leaves the connection to
    /// the next one; after any other the driver tests it first.
    pub(crate) fn release(mut self, went_well: bool) {
        let Some(Loan { connection, permit }) = self.loan.take() else { return };
        if went_well {
            connection.keep_for_next(permit);
        } else {
            connection.give_back();
        }
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        if let Some(Loan { connection, .. }) = self.loan.take() {
            connection.close();
        }
    }
}

impl Deref for PooledConnection {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.loan.as_ref().expect("only release ends the loan, and it consumes self").connection
    }
}

impl DerefMut for PooledConnection {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.loan.as_mut().expect("only release ends the loan, and it consumes self").connection
    }
}

impl fmt::Debug for PooledConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PooledConnection").finish_non_exhaustive()
    }
}
