//! A copy of many jobs in all states between kinds of store, killed in the middle and run again,
//! and compared by the library and by this program.

mod compare;
mod pair;
mod progress;

use crate::{
    failed::Failed,
    many::{QUEUE, StoreKind, StorePlace, Templates, Usage, end_with_parent, fill, numbered},
};
use clap::{Args, ValueEnum};
use pair::StorePair;
use progress::CopyLine;
use queue::{
    HeldJobs, QueueName, Rng, Storage, StoreCopy, SystemRng, WorkerId,
    queue_core::{ClaimRequest, Span},
};
use std::sync::Arc;

/// How many jobs are being processed, by workers that have ended.
const HELD: usize = 100;
const HELD_FOR: Span = Span::from_secs(1_000 * 3_600);

#[derive(Args, Debug)]
pub(crate) struct CopyArgs {
    /// How many jobs to copy
    #[arg(long, default_value_t = 1_000_000)]
    jobs: u64,
    /// The pairs, such as `memory-files,redis-sqlite` [default: all pairs of the kinds in --stores]
    #[arg(long, value_delimiter = ',')]
    pairs: Vec<StorePair>,
    /// The kinds of store; those on servers need `cargo xtask services run postgres redis -- ..`
    #[arg(long, value_delimiter = ',', default_value = "memory,files,sqlite")]
    stores: Vec<StoreKind>,
    /// How often to kill each copy
    #[arg(long, default_value_t = 2)]
    kills: usize,
}

/// The stores of the process that copies.
#[derive(Args, Debug)]
pub(crate) struct CopierArgs {
    #[arg(long)]
    from: String,
    #[arg(long)]
    to: String,
}

pub(crate) async fn run(settings: &CopyArgs) -> Result<(), Failed> {
    let templates = Templates::make().await?;
    let pairs =
        if settings.pairs.is_empty() { StorePair::all(&settings.stores) } else { settings.pairs.clone() };
    for &from in StoreKind::value_variants() {
        let targets: Vec<StoreKind> =
            pairs.iter().filter(|pair| pair.from == from).map(|pair| pair.to).collect();
        if targets.is_empty() {
            continue;
        }
        let source = StorePlace::fresh(from)?;
        let storage = source.open().await?;
        let usage = Usage::begin();
        let count = templates.0.len() as u64;
        let make = |number: u64| {
            let template = usize::try_from(number % count).expect("there are few");
            numbered(&templates.0[template], number)
        };
        fill(&storage, settings.jobs, make).await?;
        hold_some(&storage).await?;
        println!("copy: {} jobs imported to {from}: {}", settings.jobs, usage.taken());
        for to in targets {
            let target = StorePlace::fresh(to)?;
            let copied = copy_pair(&source, &target, &templates, settings).await;
            copied.map_err(|error| format!("{from} to {to}: {error}"))?;
        }
        storage.close().await?;
    }
    Ok(())
}

/// Lets some jobs be processed by a worker that never settles them.
async fn hold_some(storage: &Arc<dyn Storage>) -> Result<(), Failed> {
    let (queue, worker) = (QueueName::from_static(QUEUE), WorkerId::new("gone")?);
    let claimed = storage.claim(ClaimRequest::new(queue, worker, HELD, HELD_FOR, &SystemRng)).await?;
    println!("copy: {} of them are being processed", claimed.jobs.len());
    Ok(())
}

async fn copy_pair(
    source: &StorePlace,
    target: &StorePlace,
    templates: &Templates,
    settings: &CopyArgs,
) -> Result<(), Failed> {
    // The handle that is kept open keeps a store in memory alive.
    let to = target.open().await?;
    let usage = Usage::begin();
    let mut points: Vec<u64> =
        (0..settings.kills).map(|_| SystemRng.next_u64() % settings.jobs.max(1)).collect();
    points.sort_unstable();
    let mut killed = Vec::new();
    for point in points {
        match progress::copy_until(source, target, Some(point)).await? {
            CopyLine::At(done) => killed.push(done),
            ended => println!("  over before it was killed: {ended}"),
        }
    }
    let whole = Usage::begin();
    let report = progress::copy_until(source, target, None).await?;
    println!(
        "  {} to {}: killed after {killed:?}; the last run {}; in all {}",
        source.kind,
        target.kind,
        whole.taken(),
        usage.taken()
    );
    println!("    {report}");
    let usage = Usage::begin();
    let from = source.open().await?;
    let compared = compare::compare(&*from, &*to, templates, settings.jobs).await?;
    let files = target.file_bytes().map(|bytes| format!("; {} MB of files", bytes / 1_000_000));
    println!("    compared {compared} records: {}{}", usage.taken(), files.unwrap_or_default());
    to.close().await?;
    Ok(())
}

/// Copies, and prints how far it is until it is killed or done.
pub(crate) async fn run_copier(settings: CopierArgs) -> Result<(), Failed> {
    end_with_parent()?;
    let (from, to) = (queue::open(&settings.from).await?, queue::open(&settings.to).await?);
    // Standard output is flushed with each line.
    copy(from, to, |line| println!("{line}")).await
}

async fn copy(
    from: Arc<dyn Storage>,
    to: Arc<dyn Storage>,
    tell: impl Fn(CopyLine) + Send + Sync,
) -> Result<(), Failed> {
    // Numbers of Redis are higher than those that a SQLite file can give.
    let renumbers = from.capabilities().name == "redis" && to.capabilities().name == "sqlite";
    // The last one may have come to its end before its kill.
    let copy = StoreCopy::new(from, to).held(HeldJobs::GiveBack).again();
    let copy = if renumbers { copy.renumbering() } else { copy };
    let report = copy.run(&mut |step| tell(CopyLine::of_step(step))).await?;
    tell(CopyLine::of_report(&report));
    Ok(())
}
