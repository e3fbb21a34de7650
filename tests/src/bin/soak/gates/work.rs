//! Jobs that are enqueued while processes work on them, of which one after the other is killed.

use super::{
    GatesArgs, check,
    jobs::{COMPLETES, FAILS, Members, WAITS, queue},
    server,
};
use crate::{
    failed::Failed,
    many::{QUEUE, Runner, StorePlace, Usage, YieldingStore},
};
use queue::{
    Queue, Rng, Storage, SystemRng,
    worker::{Context, JobError, Router},
};
use std::{collections::VecDeque, sync::Arc, time::Duration};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};

/// What a process that is killed holds runs again after this time.
const LEASE: Duration = Duration::from_secs(3);
const LOOK_EVERY: Duration = Duration::from_millis(100);
const CONCURRENCY: usize = 64;

/// Works off all jobs. Answers how many were done in a second, the gates with them.
pub(super) async fn measure(
    place: &StorePlace,
    members: &Members,
    settings: &GatesArgs,
) -> Result<f64, Failed> {
    let storage = place.open().await?;
    members.open(&*storage).await?;
    let (usage, server) = (Usage::begin(), server::busy(place.kind));
    let begun = Instant::now();
    let produce = async {
        for at in (0..members.jobs).step_by(settings.batch) {
            members.add(&*storage, at..members.jobs.min(at + settings.batch as u64)).await?;
        }
        members.seal(&*storage).await?;
        wait_until_done(&*storage).await
    };
    let mut fleet = Fleet::start(&storage, place, settings.workers)?;
    let (ended, kills) = fleet.kill_until(produce, Duration::from_millis(settings.kill_every_ms)).await?;
    ended?;
    let (wall, server) = (begun.elapsed(), server::busy(place.kind).saturating_sub(server));
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

/// Handles jobs until it is killed. A job behind a gate fails if that is not complete.
pub(super) async fn work(storage: Arc<dyn Storage>) -> Result<(), Failed> {
    let queue: Queue<String> = Queue::new(storage, QUEUE)?;
    let router = Router::new(())
        .handle(COMPLETES, |_: String, _| async { Ok(()) })?
        .handle(FAILS, |_: String, _| async { Err::<(), _>(JobError::terminal("as it should")) })?
        .handle(WAITS, |_: String, context: Context| async move {
            let gate = context.meta().gate.as_deref().copied().unwrap_or_default();
            if gate.is_complete() { Ok(()) } else { Err(JobError::terminal(format!("early: {gate:?}"))) }
        })?;
    let every = Duration::from_millis(500);
    let worker = queue.worker(router).concurrency(CONCURRENCY).lease(LEASE);
    worker.rescue_interval(every).poll_interval(every).build()?.run().await;
    Ok(())
}

async fn wait_until_done(storage: &dyn Storage) -> Result<(), Failed> {
    while storage.counts(&queue()).await?.unfinished() > 0 {
        sleep(LOOK_EVERY).await;
    }
    Ok(())
}

/// The processes that work. The first one stays: for ten seconds from its start a worker leaves
/// leases alone that lapsed before (ADR 71), and the others may not live as long.
struct Fleet<'a> {
    storage: &'a Arc<dyn Storage>,
    place: &'a StorePlace,
    _stays: Runner,
    /// The oldest first.
    killed: VecDeque<Runner>,
}

impl<'a> Fleet<'a> {
    fn start(storage: &'a Arc<dyn Storage>, place: &'a StorePlace, size: usize) -> Result<Self, Failed> {
        let start = |_| start(storage, place);
        let killed = (1..size).map(start).collect::<Result<_, _>>()?;
        Ok(Self { storage, place, _stays: start(0)?, killed })
    }

    /// Kills one after the other until the future ends. Answers how many.
    async fn kill_until<T>(
        &mut self,
        future: impl Future<Output = T>,
        every: Duration,
    ) -> Result<(T, u32), Failed> {
        let mut future = std::pin::pin!(future);
        let mut ticks = interval(every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        ticks.tick().await;
        let mut kills = 0;
        loop {
            tokio::select! {
                ended = &mut future => return Ok((ended, kills)),
                _ = ticks.tick() => {
                    // At a random moment.
                    sleep(every / 16 * u32::try_from(SystemRng.next_u64() % 4)?).await;
                    if let Some(runner) = self.killed.pop_front() {
                        runner.kill().await?;
                        kills += 1;
                        self.killed.push_back(start(self.storage, self.place)?);
                    }
                }
            }
        }
    }
}

fn start(storage: &Arc<dyn Storage>, place: &StorePlace) -> Result<Runner, Failed> {
    if place.kind.is_shared() {
        Runner::process(&["gates-worker", "--store", &place.url])
    } else {
        Runner::runtime(work(Arc::new(YieldingStore(storage.clone()))))
    }
}
