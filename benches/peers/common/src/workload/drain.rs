//! How fast one worker finishes jobs that are stored already.

use std::time::Duration;

use anyhow::Result;
use tokio::time::{Instant, sleep};

use super::{BATCH, producers};
use crate::handler;
use crate::peer::{NotOffered, Peer, Producer};
use crate::report::Report;
use crate::setup::Setup;

/// Producers of a library that stores jobs one by one only. No more than 8, since one of them locks
/// itself up with ten.
const PRODUCERS: u64 = 8;
/// How often the store is asked, once every handler was called.
const ASK_EVERY: Duration = Duration::from_millis(4);
/// How often it is looked whether every handler was called, which costs no round trip.
const LOOK_EVERY: Duration = Duration::from_millis(1);
/// How long jobs may take to be stored.
const PRELOAD_MAX: Duration = Duration::from_secs(40);

pub(super) async fn measure<P: Peer>(peer: &P, setup: &Setup) -> Result<Report> {
    let stored = preload(peer, setup.jobs).await?;
    let start = Instant::now();
    peer.start_worker(setup.profile).await?;
    let unfinished = drain(peer, setup, start + setup.cap).await?;
    let seconds = start.elapsed().as_secs_f64();
    let mut report = Report::rate(stored.saturating_sub(unfinished), seconds);
    if stored != setup.jobs {
        report.note(format!("the store showed {stored} of {} jobs", setup.jobs));
    }
    if unfinished > 0 {
        report.note(format!("not all of {stored} jobs within {} s", setup.cap.as_secs()));
    }
    Ok(report)
}

/// The answer is how many jobs the store shows.
async fn preload<P: Peer>(peer: &P, jobs: u64) -> Result<u64> {
    let mut producer = peer.producer();
    for first in (0..jobs).step_by(BATCH as usize) {
        match producer.enqueue_many(first..(first + BATCH).min(jobs)).await {
            Err(error) if error.is::<NotOffered>() => {
                producers::enqueue(peer, PRODUCERS, jobs, Instant::now() + PRELOAD_MAX).await?;
                break;
            }
            answer => answer?,
        }
    }
    peer.unfinished().await
}

/// Waits until nothing is left, or it is too late; the answer is how much is left.
async fn drain<P: Peer>(peer: &P, setup: &Setup, until: Instant) -> Result<u64> {
    loop {
        while handler::count() < setup.jobs && Instant::now() < until {
            sleep(LOOK_EVERY).await;
        }
        let unfinished = peer.unfinished().await?;
        if unfinished == 0 || Instant::now() >= until {
            return Ok(unfinished);
        }
        sleep(ASK_EVERY).await;
    }
}
