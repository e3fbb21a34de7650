//! Jobs in batches that are enqueued while processes work on them.

use super::{
    BatchesArgs,
    import::{Import, add, open, until_done, until_reported},
};
use crate::{
    failed::{Failed, require},
    many::{COMPLETES, Fleet, QUEUE, StorePlace, Usage, server_busy, start_worker},
};
use queue::{Kind, Queue, State};
use queue_e2e::Latencies;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The members of a batch that is run alone.
const FEW: u64 = 10;
const PATIENCE: Duration = Duration::from_mins(1);

/// Works off all jobs while workers are killed. Answers how many were done in a second, up to the
/// end of the callbacks.
pub(super) async fn measure(
    place: &StorePlace,
    import: Import,
    settings: &BatchesArgs,
) -> Result<f64, Failed> {
    let storage = place.open().await?;
    let (usage, server) = (Usage::begin(), server_busy(place.kind));
    let begun = Instant::now();
    let mut fleet = Fleet::start(settings.workers, || start_worker(&storage, place))?;
    let every = Duration::from_millis(settings.kill_every_ms);
    let (ended, kills) = fleet.kill_until(import.run(&storage), every).await?;
    ended?;
    let (wall, used) = (begun.elapsed(), usage.taken());
    let worked = server_busy(place.kind).saturating_sub(server);
    until_done(&*storage).await?;
    let cleaned = server_busy(place.kind).saturating_sub(server).saturating_sub(worked);
    let cleaning = begun.elapsed().saturating_sub(wall);
    drop(fleet);
    #[expect(clippy::cast_precision_loss, reason = "figures for people")]
    let jobs = import.jobs as f64;
    let rate = jobs / wall.as_secs_f64();
    let each = |busy: Duration| busy.as_secs_f64() * 1e6 / jobs;
    println!("    {rate:.0} jobs/s, {kills} kills, {used}; server CPU {:.1} us a job", each(worked));
    if import.batches > 0 {
        println!("    then cleaned up in {cleaning:.1?}, server CPU {:.1} us a job", each(cleaned));
    }
    import.check(&*storage).await?;
    storage.close().await?;
    Ok(rate)
}

/// Runs batches one after the other, and then as many plain jobs. Prints the times from the end of
/// the last member to the start of the callback, and from the enqueue of a job to its start.
pub(super) async fn pace(place: &StorePlace, settings: &BatchesArgs) -> Result<(), Failed> {
    let storage = place.open().await?;
    let queue: Queue<String> = Queue::new(storage.clone(), QUEUE)?;
    let fleet = Fleet::start(1, || start_worker(&storage, place))?;
    let (mut callbacks, mut pickups) = (Latencies::default(), Latencies::default());
    for number in 0..settings.paced {
        let batch = open(&queue, &format!("paced-{number}"), FEW).await?;
        add(&batch, FEW).await?;
        batch.seal().await?;
        let report = until_reported(&queue, &batch).await?;
        require(report.state == State::Completed, || format!("{report:?}"))?;
        let ends = batch.jobs().page().await?.jobs.into_iter().filter_map(|job| job.finished_at).max();
        let (Some(started), Some(ended)) = (report.claimed_at, ends) else {
            return Err(format!("no times: {report:?}").into());
        };
        callbacks.note(started.since(ended));
    }
    let plain = queue.of_kind(Kind::from_static(COMPLETES));
    for number in 0..settings.paced {
        let id = format!("plain-{number}");
        let begun = Instant::now();
        let _new = plain.enqueue(&*id, String::new()).await?;
        let job = loop {
            require(begun.elapsed() < PATIENCE, || format!("{id} was not done"))?;
            match plain.status(&*id).await? {
                Some(status) if status.meta.state.is_terminal() => break status.meta,
                _ => sleep(Duration::from_millis(20)).await,
            }
        };
        let started = job.claimed_at.ok_or("it was never claimed")?;
        pickups.note(started.since(job.created_at));
    }
    drop(fleet);
    println!("    last end to callback: {callbacks}");
    println!("    enqueue to start of a plain job: {pickups}");
    storage.close().await?;
    Ok(())
}
