//! Why a call got no connection.

use super::pools::PoolKind;
use crate::error::{Effect, explain, place, unreachable};
use queue_core::{Error, ErrorKind};
use sqlx::postgres::PgConnectOptions;
use std::{fmt, sync::Arc};

/// Why a call got no connection, so that nothing was sent.
#[derive(Clone)]
pub(crate) enum AcquireError {
    /// All connections were in use for longer than a call waits.
    Busy,
    /// The handle is closed, or the runtime ended that the call began on.
    Over,
    /// No connection can be made in this way.
    Unreachable(Arc<PgConnectOptions>, Arc<sqlx::Error>),
}

/// Hides the password, which the options of the driver would show.
impl fmt::Debug for AcquireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => f.write_str("Busy"),
            Self::Over => f.write_str("Over"),
            Self::Unreachable(connect, error) => write!(f, "Unreachable({}, {error:?})", place(connect)),
        }
    }
}

impl AcquireError {
    /// The error for the caller of a verb.
    pub(crate) fn explain(self, operation: &'static str, pool: PoolKind) -> Error {
        match (self, pool) {
            (Self::Busy, PoolKind::Calls) => explain(operation, sqlx::Error::PoolTimedOut, Effect::None),
            (Self::Busy, PoolKind::Heartbeats) => no_heartbeat(operation),
            (Self::Over, _) => {
                let message = "the runtime of the call ended before the call was sent";
                Error::new(ErrorKind::Unavailable, operation, message)
            }
            (Self::Unreachable(connect, error), _) => unreachable(operation, &connect, error),
        }
    }
}

/// Heartbeats share their connections with no other calls, so all of these wait for the server.
fn no_heartbeat(operation: &'static str) -> Error {
    let message = "no connection for heartbeats was to be had in time, and leases lapse without them: those that there are wait \
        for the server";
    Error::new(ErrorKind::Unavailable, operation, message).with_source(sqlx::Error::PoolTimedOut)
}
