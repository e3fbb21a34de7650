//! Batches whose workers are killed, beside the same jobs without a batch. Each callback must run
//! once, and count every member once.

mod idle;
mod import;
mod work;

use crate::{
    failed::Failed,
    many::{StoreKind, StorePlace},
};
use clap::Args;
use import::Import;

#[derive(Args, Debug)]
pub(crate) struct BatchesArgs {
    /// How many jobs
    #[arg(long, default_value_t = 100_000)]
    jobs: u64,
    /// In how many batches they are
    #[arg(long, value_delimiter = ',', default_value = "1")]
    batches: Vec<u64>,
    /// The kinds of store; those on servers need `cargo xtask services run postgres redis -- ..`
    #[arg(long, value_delimiter = ',', default_value = "memory,files,sqlite")]
    stores: Vec<StoreKind>,
    /// The processes that work, of which all but one are killed in turn
    #[arg(long, default_value_t = 4)]
    workers: usize,
    /// How often one is killed, in milliseconds
    #[arg(long, default_value_t = 1_000)]
    kill_every_ms: u64,
    /// Batches of ten members that are run one after the other, without kills, to measure the time
    /// from the end of the last member to the start of the callback
    #[arg(long, default_value_t = 0)]
    paced: u64,
    /// Batches of ten members that stay open while the plain jobs are run again
    #[arg(long, default_value_t = 0)]
    idle: u64,
    /// For how long nothing is done before that, in milliseconds, to measure what open batches take
    #[arg(long, default_value_t = 10_000)]
    rest_ms: u64,
}

pub(crate) async fn run(settings: &BatchesArgs) -> Result<(), Failed> {
    for kind in &settings.stores {
        println!("batches: {} jobs on {kind}", settings.jobs);
        let ran = run_on(*kind, settings).await;
        ran.map_err(|error| format!("{kind}: {error}"))?;
    }
    Ok(())
}

async fn run_on(kind: StoreKind, settings: &BatchesArgs) -> Result<(), Failed> {
    println!("  plain jobs");
    let plain = work::measure(&StorePlace::fresh(kind)?, Import::plain(settings.jobs), settings).await?;
    for batches in &settings.batches {
        println!("  members of {batches} {}", if *batches == 1 { "batch" } else { "batches" });
        let import = Import { jobs: settings.jobs, batches: *batches };
        let rate = work::measure(&StorePlace::fresh(kind)?, import, settings).await?;
        println!("  rate beside plain jobs: {:.2}", rate / plain);
    }
    if settings.paced > 0 {
        println!("  {} batches one after the other", settings.paced);
        work::pace(&StorePlace::fresh(kind)?, settings).await?;
    }
    if settings.idle > 0 {
        println!("  plain jobs beside {} open batches", settings.idle);
        let rate = idle::measure(&StorePlace::fresh(kind)?, settings).await?;
        println!("  rate beside no open batch: {:.2}", rate / plain);
    }
    Ok(())
}
