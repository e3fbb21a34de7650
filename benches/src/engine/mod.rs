//! What is under a store, asked directly: its version, what it promises, how many bytes it holds
//! and has written.

mod files;
pub(crate) mod postgres;
pub(crate) mod redis;

use crate::{bed::Bed, resident::resident_bytes, store::StoreKind};
use serde::{Deserialize, Serialize};

/// What an engine says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Engine {
    pub(crate) version: String,
    /// What an answered write has survived, in the words of the engine's own settings.
    pub(crate) durability: String,
}

/// Bytes so far; what is read twice shows what happened between.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Volume {
    /// Held by the store.
    pub(crate) stored: u64,
    /// Held by this process.
    pub(crate) resident: u64,
    /// Written to the disk, or to a log that goes there; `None` if nothing is.
    pub(crate) written: Option<u64>,
}

pub(crate) async fn describe(store: StoreKind) -> anyhow::Result<Engine> {
    let own = |version: &str, durability: &str| Engine {
        version: version.to_owned(),
        durability: durability.to_owned(),
    };
    Ok(match store {
        StoreKind::Memory => own("this process", "none: the jobs end with the process"),
        StoreKind::File => own("its own journal", "fdatasync before each answer"),
        StoreKind::SqliteFull => own(&sqlite(), "journal_mode=WAL, synchronous=FULL"),
        StoreKind::SqliteNormal => own(&sqlite(), "journal_mode=WAL, synchronous=NORMAL"),
        StoreKind::Postgres => postgres::describe().await?,
        StoreKind::Redis | StoreKind::RedisAlways => redis::describe(store).await?,
    })
}

pub(crate) async fn volume(bed: &Bed) -> anyhow::Result<Volume> {
    let resident = resident_bytes();
    let (stored, written) = match bed.kind {
        StoreKind::Memory => (resident, None),
        StoreKind::Postgres => postgres::volume(bed).await?,
        StoreKind::Redis | StoreKind::RedisAlways => redis::volume(bed).await?,
        _ => (files::stored(bed)?, Some(files::written()?)),
    };
    Ok(Volume { stored, resident, written })
}

/// The process of the server on this machine, whose children work for it.
pub(crate) async fn server_process(bed: &Bed) -> anyhow::Result<Option<u32>> {
    Ok(match bed.kind {
        StoreKind::Postgres => Some(postgres::process(bed).await?),
        StoreKind::Redis | StoreKind::RedisAlways => Some(redis::process(bed).await?),
        _ => None,
    })
}

/// Has the engine do now what it does by itself within a minute.
pub(crate) async fn tidy(bed: &Bed) -> anyhow::Result<()> {
    match bed.kind {
        StoreKind::Postgres => postgres::vacuum(bed).await,
        _ => Ok(()),
    }
}

fn sqlite() -> String {
    format!("SQLite {}", rusqlite::version())
}
