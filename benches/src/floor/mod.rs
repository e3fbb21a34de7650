//! What a store's engine does without a queue: the least work that stores a payload, and the least
//! that takes it out again. Nothing built on the engine can be faster at the same batch size; how
//! near a queue comes is what compares between machines.

mod file;
mod postgres;
mod redis;
mod sqlite;

use crate::{
    bed::Bed,
    clock::now,
    figures::{Latencies, Reading},
    scenario::{Scenario, Setting, payload},
    stopwatch::{Stopwatch, Took},
    store::StoreKind,
};
use anyhow::ensure;
use async_trait::async_trait;
use tokio::task::JoinSet;

/// Jobs a call while the floor is filled before a measurement.
const PRELOAD: usize = 1000;
/// Jobs a call of each of several connections.
const BATCH_OF_MANY: usize = 1000;

/// One connection to a plain table, list or file of payloads.
#[async_trait]
trait Floor: Send {
    /// Stores payloads in one durable write.
    async fn insert(&mut self, payloads: &[String]) -> anyhow::Result<()>;

    /// Reads and removes the oldest in one durable write; answers how many there were.
    async fn take(&mut self, count: usize) -> anyhow::Result<usize>;

    /// Marks the oldest as taken and reads them in one durable write, and removes them in another,
    /// as everything with leases must; answers how many there were.
    async fn cycle(&mut self, count: usize) -> anyhow::Result<usize>;
}

/// What to measure of a floor; nothing where the engine is this program's own memory.
pub(crate) fn settings(store: StoreKind, scenario: Scenario) -> Vec<Setting> {
    match (store, scenario) {
        (StoreKind::Memory, _) => vec![],
        (_, Scenario::FloorWrite) => vec![Setting::Default],
        (StoreKind::Postgres, _) => vec![Setting::Batch(100), Setting::Batch(1000), Setting::Connections(4)],
        _ => vec![Setting::Batch(100), Setting::Batch(1000)],
    }
}

/// One payload after the other, each durable before the next.
pub(crate) async fn write(bed: &Bed, watch: Stopwatch, count: usize) -> anyhow::Result<Vec<Reading>> {
    let mut floor = open(bed, 1).await?.remove(0);
    let mut latencies = Latencies::new();
    let started = watch.start();
    for number in 0..count {
        let payloads = [payload(number)];
        let sent = now();
        floor.insert(&payloads).await?;
        latencies.note(sent.elapsed());
    }
    let took = started.stop();
    Ok([latencies.figures(took.elapsed).into()].into_iter().chain(took.costs(count)).collect())
}

pub(crate) async fn enqueue(
    bed: &Bed,
    watch: Stopwatch,
    setting: Setting,
    count: usize,
) -> anyhow::Result<Took> {
    let (batch, connections) = shape(setting);
    let floors = open(bed, connections).await?;
    let payloads: Vec<String> = (0..count).map(payload).collect();
    let shares: Vec<Vec<String>> =
        payloads.chunks(count.div_ceil(connections)).map(<[String]>::to_vec).collect();
    let started = watch.start();
    let mut running = JoinSet::new();
    for (mut floor, share) in floors.into_iter().zip(shares) {
        running.spawn(async move {
            for payloads in share.chunks(batch) {
                floor.insert(payloads).await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(inserted) = running.join_next().await {
        inserted??;
    }
    Ok(started.stop())
}

/// Takes out again what was stored before the clock starts.
pub(crate) async fn drain(
    bed: &Bed,
    watch: Stopwatch,
    scenario: Scenario,
    setting: Setting,
    count: usize,
) -> anyhow::Result<Took> {
    let (batch, connections) = shape(setting);
    let mut floors = open(bed, connections).await?;
    let payloads: Vec<String> = (0..count).map(payload).collect();
    for payloads in payloads.chunks(PRELOAD) {
        floors[0].insert(payloads).await?;
    }
    let started = watch.start();
    let mut running = JoinSet::new();
    for floor in floors {
        running.spawn(empty(floor, scenario, batch));
    }
    let mut taken = 0;
    while let Some(drained) = running.join_next().await {
        taken += drained??;
    }
    let took = started.stop();
    ensure!(taken == count, "took {taken} of {count}");
    Ok(took)
}

async fn empty(mut floor: Box<dyn Floor>, scenario: Scenario, batch: usize) -> anyhow::Result<usize> {
    let mut taken = 0;
    loop {
        let got = match scenario {
            Scenario::FloorCycle => floor.cycle(batch).await?,
            _ => floor.take(batch).await?,
        };
        if got == 0 {
            return Ok(taken);
        }
        taken += got;
    }
}

/// Removes what a floor has left on a server that does not forget it with the bed.
pub(crate) async fn clear(bed: &Bed) -> anyhow::Result<()> {
    match bed.kind {
        StoreKind::Redis | StoreKind::RedisAlways => redis::clear(bed).await,
        _ => Ok(()),
    }
}

fn shape(setting: Setting) -> (usize, usize) {
    match setting {
        Setting::Batch(batch) => (batch, 1),
        Setting::Connections(connections) => (BATCH_OF_MANY, connections),
        _ => (1, 1),
    }
}

/// So many connections to one floor, which is empty.
async fn open(bed: &Bed, connections: usize) -> anyhow::Result<Vec<Box<dyn Floor>>> {
    let mut floors: Vec<Box<dyn Floor>> = Vec::new();
    for number in 0..connections {
        floors.push(match bed.kind {
            StoreKind::Memory => anyhow::bail!("memory has no floor"),
            StoreKind::File => Box::new(file::FileFloor::create(bed)?),
            StoreKind::SqliteFull | StoreKind::SqliteNormal => Box::new(sqlite::SqliteFloor::create(bed)?),
            StoreKind::Postgres if number == 0 => Box::new(postgres::PostgresFloor::create(bed).await?),
            StoreKind::Postgres => Box::new(postgres::PostgresFloor::join(bed).await?),
            StoreKind::Redis | StoreKind::RedisAlways => Box::new(redis::RedisFloor::create(bed).await?),
        });
    }
    Ok(floors)
}
