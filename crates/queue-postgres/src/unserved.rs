use crate::{
    error::{Effect, explain, unreachable},
    pools::Lane,
};
use queue_core::{Error, ErrorKind};
use sqlx::postgres::PgConnectOptions;
use std::sync::Arc;

/// Why a call got no connection, so that nothing was sent.
#[derive(Clone, Debug)]
pub(crate) enum Unserved {
    /// All of them were in use for too long.
    Busy,
    /// The pool is closed.
    Closed,
    /// None can be made, in this way.
    Unreachable(Arc<PgConnectOptions>, Arc<sqlx::Error>),
}

impl Unserved {
    /// For the caller of a verb.
    pub(crate) fn explain(self, operation: &'static str, lane: Lane) -> Error {
        match (self, lane) {
            (Self::Busy, Lane::Calls) => explain(operation, sqlx::Error::PoolTimedOut, Effect::None),
            (Self::Busy, Lane::Heartbeats) => no_heartbeat(operation),
            (Self::Closed, _) => explain(operation, sqlx::Error::PoolClosed, Effect::None),
            (Self::Unreachable(connect, error), _) => unreachable(operation, &connect, error),
        }
    }
}

/// Heartbeats share their connections with nobody, so that all of them hang.
fn no_heartbeat(operation: &'static str) -> Error {
    let message = "no connection for heartbeats was to be had in time, and leases lapse without them: those that there are wait \
        for the server";
    Error::new(ErrorKind::Unavailable, operation, message).with_source(sqlx::Error::PoolTimedOut)
}
