//! Partitions with a limit: no more jobs of one run at once, and none is stuck, while processes
//! that work on them are killed. The run is judged twice: by looks at the store, and by what the
//! handlers themselves wrote down elsewhere.
//!
//! `--fair` measures how long a small tenant waits beside a large one instead.

mod fair;
mod handler_log;
mod observer;
mod overlaps;
mod producers;
mod records;
mod round;
mod row;
mod transactions;
mod work;

use crate::{failed::Failed, many::StoreKind};
use clap::Args;
use queue::Queue;
use row::Row;
use std::time::Duration;

pub(crate) use work::{WorkerArgs, run_worker};

/// The jobs of these runs carry nothing and answer nothing.
type Jobs = Queue<(), ()>;

#[derive(Args, Debug)]
pub(crate) struct PartitionsArgs {
    /// The kinds of store; those on servers need `cargo xtask services run postgres redis -- ..`
    #[arg(long, value_delimiter = ',', default_value = "memory,files,sqlite")]
    stores: Vec<StoreKind>,
    /// The processes that work, of which all but one are killed in turn
    #[arg(long, default_value_t = 8)]
    processes: usize,
    /// How many partitions the jobs have; the first have the most jobs
    #[arg(long, default_value_t = 200)]
    partitions: u64,
    /// The limit of each partition: how many of its jobs run at once
    #[arg(long, default_value_t = 2)]
    running: u32,
    /// For how long jobs are enqueued, on each store
    #[arg(long, default_value_t = 600)]
    seconds: u64,
    /// How often a process is killed, in milliseconds
    #[arg(long, default_value_t = 1_000)]
    kill_every_ms: u64,
    /// The lease of the workers in milliseconds, for which a killed one holds its slots
    #[arg(long, default_value_t = 10_000)]
    lease_ms: u64,
    /// How long a handler works on average, in milliseconds
    #[arg(long, default_value_t = 50)]
    work_ms: u64,
    /// Measures the waiting times of a small tenant beside a large one instead, without kills
    #[arg(long)]
    fair: bool,
    /// The jobs of the large tenant, with `--fair`; the small one has a hundredth of them
    #[arg(long, default_value_t = 20_000, requires = "fair")]
    jobs: u64,
}

pub(crate) async fn run(settings: &PartitionsArgs) -> Result<(), Failed> {
    if settings.fair { fair::run(settings).await } else { run_limited(settings).await }
}

async fn run_limited(settings: &PartitionsArgs) -> Result<(), Failed> {
    println!(
        "partitions: {} of them, at most {} of each at once, {} processes, one killed every {:?}, leases of {:?}",
        settings.partitions,
        settings.running,
        settings.processes,
        Duration::from_millis(settings.kill_every_ms),
        settings.lease(),
    );
    println!("{}", Row::HEADER);
    for kind in &settings.stores {
        let row = round::run(*kind, settings).await.map_err(|error| format!("{kind}: {error}"))?;
        println!("{kind:10}{row}");
    }
    let stores: Vec<String> = settings.stores.iter().map(ToString::to_string).collect();
    println!(
        "no limit was exceeded, no job is lost or stuck, no overlap is unexplained: {}",
        stores.join(", ")
    );
    Ok(())
}

impl PartitionsArgs {
    fn lease(&self) -> Duration {
        Duration::from_millis(self.lease_ms)
    }
}
