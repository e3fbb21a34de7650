//! The run on one store: jobs are enqueued while processes are killed, then the queue is drained,
//! then everything is judged.

use super::{
    Jobs, PartitionsArgs, handler_log,
    observer::{self, Sights},
    overlaps::Overlaps,
    producers::Producers,
    records,
    row::Row,
    work::Starter,
};
use crate::{
    failed::{Failed, require},
    many::{Fleet, QUEUE, StoreKind, StorePlace},
};
use queue::JobId;
use std::{collections::HashSet, pin::pin, time::Duration};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

const LOOK_EVERY: Duration = Duration::from_millis(100);
/// A queue of which no job ends for so long is stuck. A killed worker holds its slots for a lease.
const PATIENCE: Duration = Duration::from_mins(2);

pub(super) async fn run(kind: StoreKind, settings: &PartitionsArgs) -> Result<Row, Failed> {
    let place = StorePlace::fresh(kind)?;
    let storage = place.open().await?;
    let queue = Jobs::new(storage.clone(), QUEUE)?;
    queue.limits().each_partition(settings.running).set().await?;
    let starter = Starter::new(&storage, &place, settings)?;
    let mut fleet = Fleet::start(settings.processes, || starter.start())?;
    let worked = async {
        let every = Duration::from_millis(settings.kill_every_ms);
        let (produced, kills) = fleet.kill_until(produce(&queue, &place, settings), every).await?;
        let (acknowledged, begun) = (produced?, Instant::now());
        drain(&queue).await?;
        Ok((acknowledged, kills, begun.elapsed()))
    };
    let ((acknowledged, kills, drained), sights) = watched(&queue, settings, worked).await?;
    let mut runs = Vec::new();
    for (number, log) in starter.logs().enumerate() {
        // The first process is never killed.
        let killed_at = number.checked_sub(1).and_then(|number| fleet.killed_at().get(number));
        runs.extend(handler_log::read(&log, killed_at.copied())?);
    }
    drop(fleet);
    records::all_are_completed(&*storage, &acknowledged).await?;
    let again = records::all_had_a_handler(&runs, &acknowledged)?;
    let overlaps = Overlaps::of(&runs, usize::try_from(settings.running)?, settings.lease());
    require(overlaps.unexplained == 0, || format!("more handlers than the limit at once: {overlaps:?}"))?;
    let was_full = sights.leases_max == u64::from(settings.running) && overlaps.most > 0;
    require(was_full, || format!("no partition was ever full, so the run shows nothing: {sights:?}"))?;
    storage.close().await?;
    Ok(Row { jobs: acknowledged.len(), again, kills, sights, overlaps, drained })
}

/// Looks at the partitions until the work is done, which fails at the first look that is wrong.
async fn watched<T>(
    queue: &Jobs,
    settings: &PartitionsArgs,
    work: impl Future<Output = Result<T, Failed>>,
) -> Result<(T, Sights), Failed> {
    let stop = CancellationToken::new();
    let mut looks = pin!(observer::observe(queue, settings.running, &stop));
    let worked = tokio::select! {
        worked = work => worked?,
        failed = &mut looks => return Err(failed.err().unwrap_or_else(|| "the looks ended".into())),
    };
    stop.cancel();
    Ok((worked, looks.await?))
}

/// Enqueues for as long as the run lasts. Answers the jobs that were acknowledged.
async fn produce(
    queue: &Jobs,
    place: &StorePlace,
    settings: &PartitionsArgs,
) -> Result<HashSet<JobId>, Failed> {
    let mut producers = Producers::start(queue, place, settings);
    tokio::select! {
        () = sleep(Duration::from_secs(settings.seconds)) => {}
        failure = producers.failure() => return Err(failure),
    }
    producers.stop().await
}

/// Waits until no job is unfinished, for as long as jobs end.
async fn drain(queue: &Jobs) -> Result<(), Failed> {
    let (mut before, mut since) = (u64::MAX, Instant::now());
    loop {
        let left = queue.counts().await?.unfinished();
        if left == 0 {
            return Ok(());
        }
        if left != before {
            (before, since) = (left, Instant::now());
        }
        require(since.elapsed() < PATIENCE, || format!("{left} jobs are stuck"))?;
        sleep(LOOK_EVERY).await;
    }
}
