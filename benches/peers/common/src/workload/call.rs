//! How soon a caller has the result of its job.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use anyhow::Result;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout_at};

use super::{IDLE, producers};
use crate::peer::{Peer, Producer};
use crate::report::Report;
use crate::setup::Setup;

const CALLERS: u64 = 50;
/// Calls for each latency that is asked for: one alone says little about a rate.
const CALLS: u64 = 10;

pub(super) async fn one_by_one<P: Peer>(peer: &P, setup: &Setup) -> Result<Report> {
    peer.start_worker(setup.profile).await?;
    sleep(IDLE).await;
    let calls = one_after_another(peer.producer(), setup.jobs, setup.cap);
    let mut report = producers::as_task(calls).await?;
    if report.jobs < setup.jobs {
        report.note(format!("{} calls came back within {} s", report.jobs, setup.cap.as_secs()));
    }
    Ok(report)
}

async fn one_after_another(mut producer: impl Producer, jobs: u64, cap: Duration) -> Result<Report> {
    let start = Instant::now();
    let mut samples = Vec::new();
    for n in 0..jobs {
        let asked = Instant::now();
        match timeout_at(start + cap, producer.call(n)).await {
            Ok(answer) => answer?,
            Err(_) => break,
        }
        samples.push(asked.elapsed().as_secs_f64() * 1e3);
    }
    Ok(Report::latencies(samples, start.elapsed().as_secs_f64()))
}

pub(super) async fn c50<P: Peer>(peer: &P, setup: &Setup) -> Result<Report> {
    peer.start_worker(setup.profile).await?;
    sleep(IDLE).await;
    let (next, calls) = (Arc::new(AtomicU64::new(0)), setup.jobs * CALLS);
    let start = Instant::now();
    let until = start + setup.cap;
    let mut tasks = JoinSet::new();
    for _ in 0..CALLERS {
        let (mut producer, next) = (peer.producer(), next.clone());
        tasks.spawn(async move {
            let mut answers = 0;
            loop {
                let n = next.fetch_add(1, SeqCst);
                if n >= calls {
                    return anyhow::Ok(answers);
                }
                match timeout_at(until, producer.call(n)).await {
                    Ok(answer) => answer?,
                    Err(_) => return Ok(answers),
                }
                answers += 1;
            }
        });
    }
    let answers = producers::sum(tasks).await?;
    let mut report = Report::rate(answers, start.elapsed().as_secs_f64());
    if answers < calls {
        report.note(format!("{answers} of {calls} calls came back within {} s", setup.cap.as_secs()));
    }
    Ok(report)
}
