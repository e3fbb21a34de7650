//! Batches that stay open and have nothing to do, beside plain jobs.

use super::{
    BatchesArgs,
    import::{Import, add, open, until_done},
};
use crate::{
    failed::Failed,
    many::{Fleet, QUEUE, Runner, StoreKind, StorePlace, server_busy, start_worker},
};
use queue::Queue;
use std::time::Duration;
use tokio::time::{Instant, sleep};

const MEMBERS: u64 = 10;

/// Opens batches whose members end, and leaves them open. Answers how many plain jobs are done in a
/// second beside them.
pub(super) async fn measure(place: &StorePlace, settings: &BatchesArgs) -> Result<f64, Failed> {
    let storage = place.open().await?;
    let queue: Queue<String> = Queue::new(storage.clone(), QUEUE)?;
    let mut fleet = Fleet::start(settings.workers, || start_worker(&storage, place))?;
    let rest = Duration::from_millis(settings.rest_ms);
    let without = busy_at_rest(&fleet, place.kind, rest).await;
    for number in 0..settings.idle {
        add(&open(&queue, &format!("idle-{number}"), MEMBERS).await?, MEMBERS).await?;
    }
    until_done(&*storage).await?;
    let with = busy_at_rest(&fleet, place.kind, rest).await;
    println!("    in {rest:?} of rest, workers and server: CPU {without:.2?} before, {with:.2?} beside them");
    let begun = Instant::now();
    let every = Duration::from_millis(settings.kill_every_ms);
    let (ended, kills) = fleet.kill_until(Import::plain(settings.jobs).run(&storage), every).await?;
    ended?;
    #[expect(clippy::cast_precision_loss, reason = "figures for people")]
    let rate = settings.jobs as f64 / begun.elapsed().as_secs_f64();
    println!("    {rate:.0} jobs/s, {kills} kills");
    drop(fleet);
    storage.close().await?;
    Ok(rate)
}

/// How long workers and server keep processors busy while there is nothing to do.
async fn busy_at_rest<F: Fn() -> Result<Runner, Failed>>(
    fleet: &Fleet<F>,
    kind: StoreKind,
    rest: Duration,
) -> Duration {
    let busy = || fleet.busy() + server_busy(kind);
    let before = busy();
    sleep(rest).await;
    busy().saturating_sub(before)
}
