//! Connections to the server: how they are made, and the pools that give them to calls.
//!
//! Nothing here knows what a job or a statement of the store is.

mod acquire_error;
mod idle_trust;
mod open_connection;
mod pool;
mod pooled;
mod pools;
mod runtime_pool;
mod settings;

pub(crate) use pooled::PooledConnection;
pub(crate) use pools::{PoolKind, Pools};
pub(crate) use runtime_pool::ASK_MAX;
pub(crate) use settings::{
    BEGIN, BEGIN_WITH_SETTINGS, configured, connect_within, kept_settings, limit_silence,
};
