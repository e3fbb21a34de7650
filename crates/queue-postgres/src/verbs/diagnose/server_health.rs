//! What the server reports of itself, as types.

use sqlx::{Row, postgres::PgRow};

/// The settings and the sessions of the server.
#[derive(Clone, Debug, Default)]
pub(super) struct ServerHealth {
    pub(super) layout: i32,
    pub(super) version: String,
    pub(super) synchronous_commit: String,
    pub(super) is_flushing: bool,
    pub(super) writes_full_pages: bool,
    pub(super) has_autovacuum: bool,
    /// How many sessions others than superusers may have.
    pub(super) clients_max: i64,
    pub(super) clients: i64,
    /// Sessions that listen for hints of this store, as far as they can be seen.
    pub(super) listeners: i64,
    /// Sessions of which this user may not see what they do.
    pub(super) hidden: i64,
    /// Which part of the room for notifications is taken.
    pub(super) notifications: f64,
}

/// What keeps removed rows from being cleaned away for longest.
#[derive(Clone, Debug)]
pub(super) struct OldestSnapshot {
    pub(super) holder: String,
    /// In transactions.
    pub(super) age: i64,
    /// None for a replication slot.
    pub(super) seconds: Option<i64>,
}

/// A table that jobs pass through.
#[derive(Clone, Debug)]
pub(super) struct TableHealth {
    pub(super) name: String,
    pub(super) live: i64,
    pub(super) dead: i64,
    pub(super) bytes: i64,
    pub(super) is_never_vacuumed: bool,
    pub(super) vacuumed_before_seconds: Option<i64>,
}

impl ServerHealth {
    pub(super) fn read(row: &PgRow) -> sqlx::Result<Self> {
        Ok(Self {
            layout: row.try_get(0)?,
            version: row.try_get(1)?,
            synchronous_commit: row.try_get(2)?,
            is_flushing: row.try_get(3)?,
            writes_full_pages: row.try_get(4)?,
            has_autovacuum: row.try_get(5)?,
            clients_max: row.try_get(6)?,
            clients: row.try_get(7)?,
            listeners: row.try_get(8)?,
            hidden: row.try_get(9)?,
            notifications: row.try_get(10)?,
        })
    }
}

impl OldestSnapshot {
    pub(super) fn read(row: &PgRow) -> sqlx::Result<Self> {
        let age: Option<i64> = row.try_get(1)?;
        Ok(Self { holder: row.try_get(0)?, age: age.unwrap_or(0), seconds: row.try_get(2)? })
    }
}

impl TableHealth {
    /// The tables whose rows come and go with each job.
    const HOT: [&'static str; 3] = ["ready", "lease", "tally"];

    pub(super) fn read(row: &PgRow) -> sqlx::Result<Self> {
        Ok(Self {
            name: row.try_get(0)?,
            live: row.try_get(1)?,
            dead: row.try_get(2)?,
            bytes: row.try_get(3)?,
            is_never_vacuumed: row.try_get(4)?,
            vacuumed_before_seconds: row.try_get(5)?,
        })
    }

    pub(super) fn is_hot(&self) -> bool {
        Self::HOT.contains(&&*self.name)
    }
}
