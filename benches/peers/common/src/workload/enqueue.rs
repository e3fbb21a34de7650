//! How fast jobs are stored, without a worker.

use anyhow::Result;
use tokio::time::Instant;

use super::{BATCH, WINDOW, producers};
use crate::peer::{Peer, Producer};
use crate::report::Report;

const PRODUCERS: u64 = 64;

pub(super) async fn seq<P: Peer>(peer: &P) -> Result<Report> {
    let (mut producer, start) = (peer.producer(), Instant::now());
    let jobs = producers::as_task(async move {
        let mut jobs = 0;
        while start.elapsed() < WINDOW {
            producer.enqueue(jobs).await?;
            jobs += 1;
        }
        Ok(jobs)
    });
    checked(peer, jobs.await?, start).await
}

pub(super) async fn c64<P: Peer>(peer: &P) -> Result<Report> {
    let start = Instant::now();
    let jobs = producers::enqueue(peer, PRODUCERS, u64::MAX, start + WINDOW).await?;
    checked(peer, jobs, start).await
}

pub(super) async fn batch<P: Peer>(peer: &P) -> Result<Report> {
    let (mut producer, start) = (peer.producer(), Instant::now());
    let jobs = producers::as_task(async move {
        let mut jobs = 0;
        while start.elapsed() < WINDOW {
            producer.enqueue_many(jobs..jobs + BATCH).await?;
            jobs += BATCH;
        }
        Ok(jobs)
    });
    checked(peer, jobs.await?, start).await
}

/// The store has to show as many jobs as calls have come back for.
async fn checked<P: Peer>(peer: &P, jobs: u64, start: Instant) -> Result<Report> {
    let mut report = Report::rate(jobs, start.elapsed().as_secs_f64());
    let stored = peer.unfinished().await?;
    if stored != jobs {
        report.note(format!("the store shows {stored} of {jobs} jobs"));
    }
    Ok(report)
}
