//! What a store's engine does without a queue: the least work that stores a payload, and the least that takes and removes
//! it. Nothing built on the engine can be faster at the same batch size; how near a queue comes is what compares
//! between machines.

mod file;
mod postgres;
mod redis;
mod sqlite;

use crate::{
    scenario::{Scenario, Setting, payload},
    store::{Bed, StoreKind},
};
use std::time::Duration;

/// The batch sizes to measure; none where the engine is this program's own memory.
pub(crate) fn batches(store: StoreKind, scenario: Scenario) -> Vec<Setting> {
    let sizes: &[usize] = match (store, scenario) {
        (StoreKind::Memory, _) => &[],
        (_, Scenario::FloorEnqueue) => &[1, 100, 1000],
        _ => &[100, 1000],
    };
    sizes.iter().map(|&size| Setting::Batch(size)).collect()
}

pub(crate) async fn enqueue(bed: &Bed, batch: usize, count: usize) -> anyhow::Result<Duration> {
    let payloads: Vec<String> = (0..count).map(payload).collect();
    match bed.kind {
        StoreKind::Memory => anyhow::bail!("memory has no floor"),
        StoreKind::File => file::append(bed, &payloads, batch),
        StoreKind::SqliteFull | StoreKind::SqliteNormal => sqlite::Floor::open(bed)?.insert(&payloads, batch),
        StoreKind::Postgres => postgres::Floor::open(bed).await?.insert(&payloads, batch).await,
        StoreKind::Redis => redis::Floor::open(bed).await?.push(&payloads, batch).await,
    }
}

pub(crate) async fn drain(bed: &Bed, batch: usize, count: usize) -> anyhow::Result<Duration> {
    const PRELOAD: usize = 1000;
    let payloads: Vec<String> = (0..count).map(payload).collect();
    match bed.kind {
        StoreKind::Memory => anyhow::bail!("memory has no floor"),
        // In a journal, taking a job is a record like any other.
        StoreKind::File => file::append(bed, &payloads, batch),
        StoreKind::SqliteFull | StoreKind::SqliteNormal => {
            let mut floor = sqlite::Floor::open(bed)?;
            floor.insert(&payloads, PRELOAD)?;
            floor.take(batch, count)
        }
        StoreKind::Postgres => {
            let mut floor = postgres::Floor::open(bed).await?;
            floor.insert(&payloads, PRELOAD).await?;
            floor.take(batch, count).await
        }
        StoreKind::Redis => {
            let mut floor = redis::Floor::open(bed).await?;
            floor.push(&payloads, PRELOAD).await?;
            floor.take(batch, count).await
        }
    }
}

/// Bytes that the server holds for the bed, or for everything where it cannot tell.
pub(crate) async fn size(bed: &Bed) -> anyhow::Result<u64> {
    match bed.kind {
        StoreKind::Postgres => postgres::Floor::open(bed).await?.size(bed).await,
        StoreKind::Redis => redis::Floor::open(bed).await?.size().await,
        _ => anyhow::bail!("this store has no server"),
    }
}
