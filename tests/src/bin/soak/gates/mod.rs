//! Many jobs that signal their ends to gates, while processes that work on them are killed, beside
//! the same jobs without signals. Each gate must open once, and count each end once.

mod check;
mod jobs;
mod steps;
mod work;

use crate::{
    failed::Failed,
    many::{StoreKind, StorePlace},
};
use clap::Args;
use jobs::Members;

#[derive(Args, Debug)]
pub(crate) struct GatesArgs {
    /// How many jobs
    #[arg(long, default_value_t = 100_000)]
    jobs: u64,
    /// At how many gates they count, in turn
    #[arg(long, value_delimiter = ',', default_value = "1,64")]
    gates: Vec<u64>,
    /// The kinds of store; those on servers need `cargo xtask services run postgres redis -- ..`
    #[arg(long, value_delimiter = ',', default_value = "memory,files,sqlite")]
    stores: Vec<StoreKind>,
    /// The jobs of one call
    #[arg(long, default_value_t = 500)]
    batch: usize,
    /// The processes that work, of which all but one are killed in turn
    #[arg(long, default_value_t = 4)]
    workers: usize,
    /// How often one is killed, in milliseconds
    #[arg(long, default_value_t = 1_000)]
    kill_every_ms: u64,
    /// Measures enqueue, claim and complete one after the other, without workers
    #[arg(long)]
    steps: bool,
    /// The callers that end the jobs at once, with `--steps`
    #[arg(long, default_value_t = 1, requires = "steps")]
    callers: usize,
}

pub(crate) async fn run(settings: &GatesArgs) -> Result<(), Failed> {
    for kind in &settings.stores {
        println!("gates: {} jobs on {kind}", settings.jobs);
        let plain = run_on(*kind, settings, 0).await?;
        for gates in &settings.gates {
            let rate = run_on(*kind, settings, *gates).await?;
            println!("  rate beside plain jobs: {:.2}", rate / plain);
        }
    }
    Ok(())
}

/// How many jobs were done in a second.
async fn run_on(kind: StoreKind, settings: &GatesArgs, gates: u64) -> Result<f64, Failed> {
    match gates {
        0 => println!("  plain jobs"),
        gates => println!("  members of {gates} gates"),
    }
    let place = StorePlace::fresh(kind)?;
    let members = Members { jobs: settings.jobs, gates };
    let ran = async {
        if settings.steps {
            steps::measure(&place, &members, settings.batch, settings.callers.max(1)).await
        } else {
            work::measure(&place, &members, settings).await
        }
    };
    ran.await.map_err(|error| format!("{kind}, {gates} gates: {error}").into())
}
