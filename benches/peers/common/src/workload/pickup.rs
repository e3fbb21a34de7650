//! How soon an idle worker begins a job.

use std::time::Duration;

use anyhow::Result;
use tokio::time::{Instant, sleep, timeout_at};

use super::{IDLE, producers};
use crate::handler;
use crate::peer::{Peer, Producer};
use crate::report::Report;
use crate::setup::Setup;

/// The shortest pause between two jobs, and the longest, so that no poll falls in step with them.
const PAUSE: (u64, u64) = (1000, 5000);

pub(super) async fn measure<P: Peer>(peer: &P, setup: &Setup) -> Result<Report> {
    peer.start_worker(setup.profile).await?;
    sleep(IDLE).await;
    let pickups = one_after_another(peer.producer(), setup.jobs, setup.cap);
    let (mut report, is_late) = producers::as_task(pickups).await?;
    if is_late {
        report.note(format!("{} jobs were picked up within {} s", report.jobs, setup.cap.as_secs()));
    }
    Ok(report)
}

/// Says as well whether one was not picked up in time.
async fn one_after_another(mut producer: impl Producer, jobs: u64, cap: Duration) -> Result<(Report, bool)> {
    let (start, mut pauses) = (Instant::now(), Pauses::new());
    let until = start + cap;
    let mut samples = Vec::new();
    let mut is_late = false;
    for n in 0..jobs {
        if Instant::now() >= until {
            break;
        }
        let (calls, asked) = (handler::count(), handler::nanos());
        producer.enqueue(n).await?;
        if timeout_at(until, handler::wait_beyond(calls)).await.is_err() {
            is_late = true;
            break;
        }
        samples.push(handler::last_start().saturating_sub(asked) as f64 / 1e6);
        sleep(pauses.next()).await;
    }
    Ok((Report::latencies(samples, start.elapsed().as_secs_f64()), is_late))
}

/// The same lengths in every process, which look like chance.
struct Pauses(u64);

impl Pauses {
    fn new() -> Self {
        Self(0x9E37_79B9_7F4A_7C15)
    }

    fn next(&mut self) -> Duration {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        Duration::from_micros(PAUSE.0 + self.0 % (PAUSE.1 - PAUSE.0))
    }
}
