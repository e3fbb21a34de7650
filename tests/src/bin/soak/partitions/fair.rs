//! How long the jobs of a small tenant wait beside the backlog of a large one that has a hundred
//! times as many.

use super::{
    Jobs, PartitionsArgs, handler_log,
    producers::{enqueue, kept},
    work::Starter,
};
use crate::{
    failed::{Failed, require},
    many::{Fleet, QUEUE, StoreKind, StorePlace, shared_clock},
};
use queue::{JobOptions, State};
use queue_e2e::Latencies;
use std::{collections::HashMap, time::Duration};
use tokio::time::sleep;

/// The large tenant has so many jobs for one of the small one, and so many keys where it spreads
/// them.
const TIMES: u64 = 100;
const LARGE: &str = "large";
const SMALL: &str = "small";
/// The jobs of one call.
const CHUNK: u64 = 500;
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// How the jobs of the tenants are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Without partitions.
    Plain,
    /// One key for each tenant.
    ByTenant,
    /// The large tenant has a hundred keys.
    Spread,
    /// The same, and each key has the limit of the run.
    SpreadAndCapped,
}

pub(super) async fn run(settings: &PartitionsArgs) -> Result<(), Failed> {
    let small = settings.jobs / TIMES;
    require(small > 0, || format!("--jobs is at least {TIMES}"))?;
    for kind in &settings.stores {
        println!("fair: {kind}, {} jobs of the large tenant, {small} of the small one", settings.jobs);
        println!("  from enqueue to start of the small tenant's jobs    p50       p99");
        for order in [Order::Plain, Order::ByTenant, Order::Spread, Order::SpreadAndCapped] {
            let waits = measure(*kind, order, settings).await;
            let waits = waits.map_err(|error| format!("{kind}, {order:?}: {error}"))?;
            let [p50, p99] = [500, 990].map(|part| format!("{:.1?}", waits.within(part)));
            println!("  {:46}{p50:>9}{p99:>10}", order.name(settings));
        }
    }
    println!(
        "turns are per key: a tenant that spreads its jobs over {TIMES} keys gets {TIMES} turns, and a limit of each key does \
         nothing against it"
    );
    Ok(())
}

/// The times from enqueue to start of the small tenant's jobs.
async fn measure(kind: StoreKind, order: Order, settings: &PartitionsArgs) -> Result<Latencies, Failed> {
    let place = StorePlace::fresh(kind)?;
    let storage = place.open().await?;
    let queue = Jobs::new(storage.clone(), QUEUE)?;
    if order == Order::SpreadAndCapped {
        queue.limits().each_partition(settings.running).set().await?;
    }
    for first in (0..settings.jobs).step_by(usize::try_from(CHUNK)?) {
        let numbers = first..settings.jobs.min(first + CHUNK);
        let jobs = numbers.map(|n| queue.new_job(format!("{LARGE}-{n}"), &(), &order.large(n)));
        enqueue(&queue, jobs.collect::<Result<_, _>>()?).await?;
    }
    let starter = Starter::new(&storage, &place, settings)?;
    let fleet = Fleet::start(settings.processes, || starter.start())?;
    let mut enqueued = HashMap::new();
    for number in 0..settings.jobs / TIMES {
        until_completed(&queue, number * TIMES).await?;
        let id = format!("{SMALL}-{number}");
        enqueued.insert(id.clone(), shared_clock());
        enqueue(&queue, vec![queue.new_job(id, &(), &order.small())?]).await?;
    }
    until_completed(&queue, settings.jobs + settings.jobs / TIMES).await?;
    drop(fleet);
    let mut waits = Latencies::default();
    for log in starter.logs() {
        for run in handler_log::read(&log, None)? {
            if let Some(enqueued) = enqueued.remove(&run.job) {
                waits.note(run.start.saturating_sub(enqueued));
            }
        }
    }
    require(enqueued.is_empty(), || format!("jobs without a handler: {:?}", enqueued.keys()))?;
    storage.close().await?;
    Ok(waits)
}

async fn until_completed(queue: &Jobs, jobs: u64) -> Result<(), Failed> {
    while queue.counts().await?.of(State::Completed) < jobs {
        sleep(LOOK_EVERY).await;
    }
    Ok(())
}

impl Order {
    fn name(self, settings: &PartitionsArgs) -> String {
        match self {
            Self::Plain => "without partitions".to_owned(),
            Self::ByTenant => "a partition for each tenant".to_owned(),
            Self::Spread => format!("the large tenant has {TIMES} keys"),
            Self::SpreadAndCapped => format!("the same, at most {} of each key at once", settings.running),
        }
    }

    fn large(self, number: u64) -> JobOptions {
        match self {
            Self::Plain => kept(),
            Self::ByTenant => kept().partition(LARGE),
            Self::Spread | Self::SpreadAndCapped => kept().partition(format!("{LARGE}-{}", number % TIMES)),
        }
    }

    fn small(self) -> JobOptions {
        if self == Self::Plain { kept() } else { kept().partition(SMALL) }
    }
}
