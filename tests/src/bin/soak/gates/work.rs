//! Jobs that are enqueued while processes work on them, of which one after the other is killed.

use super::{
    GatesArgs, check,
    jobs::{Members, queue},
};
use crate::{
    failed::Failed,
    many::{Fleet, StorePlace, Usage, server_busy, start_worker},
};
use queue::Storage;
use std::time::Duration;
use tokio::time::{Instant, sleep};

const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Works off all jobs. Answers how many were done in a second, the gates with them.
pub(super) async fn measure(
    place: &StorePlace,
    members: &Members,
    settings: &GatesArgs,
) -> Result<f64, Failed> {
    let storage = place.open().await?;
    members.open(&*storage).await?;
    let (usage, server) = (Usage::begin(), server_busy(place.kind));
    let begun = Instant::now();
    let produce = async {
        for at in (0..members.jobs).step_by(settings.batch) {
            members.add(&*storage, at..members.jobs.min(at + settings.batch as u64)).await?;
        }
        members.seal(&*storage).await?;
        wait_until_done(&*storage).await
    };
    let mut fleet = Fleet::start(settings.workers, || start_worker(&storage, place))?;
    let (ended, kills) = fleet.kill_until(produce, Duration::from_millis(settings.kill_every_ms)).await?;
    ended?;
    let (wall, server) = (begun.elapsed(), server_busy(place.kind).saturating_sub(server));
    drop(fleet);
    #[expect(clippy::cast_precision_loss, reason = "figures for people")]
    let (rate, each) = {
        let jobs = members.jobs as f64;
        (jobs / wall.as_secs_f64(), server.as_secs_f64() * 1e6 / jobs)
    };
    println!("    {rate:.0} jobs/s, {kills} kills, {}; server CPU {each:.1} us a job", usage.taken());
    check::each_end_counts_once(&*storage, members).await?;
    storage.close().await?;
    Ok(rate)
}

async fn wait_until_done(storage: &dyn Storage) -> Result<(), Failed> {
    while storage.counts(&queue()).await?.unfinished() > 0 {
        sleep(LOOK_EVERY).await;
    }
    Ok(())
}
