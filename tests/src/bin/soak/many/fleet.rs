//! The processes that work, of which one after the other is killed.

use super::{Runner, shared_clock};
use crate::failed::Failed;
use queue::{Rng, SystemRng};
use queue_e2e::cpu_time;
use std::{collections::VecDeque, time::Duration};
use tokio::time::{MissedTickBehavior, interval, sleep};

/// Processes that work, each made by `start`. The first one stays: for ten seconds from its start a
/// worker leaves leases alone that lapsed before (ADR 71), and the others may not live as long.
pub(crate) struct Fleet<F> {
    start: F,
    stays: Runner,
    /// The oldest first.
    killed: VecDeque<Runner>,
    killed_at: Vec<Duration>,
}

impl<F: Fn() -> Result<Runner, Failed>> Fleet<F> {
    pub(crate) fn start(size: usize, start: F) -> Result<Self, Failed> {
        let stays = start()?;
        let killed = (1..size).map(|_| start()).collect::<Result<_, _>>()?;
        Ok(Self { start, stays, killed, killed_at: Vec::new() })
    }

    /// Kills one after the other until the future ends. Answers how many.
    pub(crate) async fn kill_until<T>(
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
                        self.killed_at.push(shared_clock());
                        self.killed.push_back((self.start)()?);
                    }
                }
            }
        }
    }

    /// When each one had ended that was killed, by the [shared clock](shared_clock). The first is
    /// that of the process that was started second, and so on, since the oldest one is killed.
    pub(crate) fn killed_at(&self) -> &[Duration] {
        &self.killed_at
    }

    /// How long those that live have kept processors busy; nothing for runtimes in this process.
    pub(crate) fn busy(&self) -> Duration {
        let all = self.killed.iter().chain([&self.stays]);
        all.filter_map(Runner::process_id).filter_map(cpu_time).sum()
    }
}
