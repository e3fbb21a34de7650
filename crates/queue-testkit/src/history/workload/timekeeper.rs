//! The task that moves the manual clock of a workload.

use super::actor::Actor;
use queue_core::{Clock, ManualClock, Timestamp};
use std::{sync::Arc, time::Duration};

/// Steps of time for each step of the other tasks.
const TICKS_PER_STEP: usize = 3;

/// Moves the clock of the stores: mostly a little, sometimes past every lease, and now and then
/// back, as on a machine whose clock is set.
pub(super) async fn keep_time(actor: Actor, clock: Arc<ManualClock>) {
    for _ in 0..actor.params.steps * TICKS_PER_STEP {
        match actor.dice.below(40) {
            0 => clock.set(Timestamp::from_millis(clock.now().as_millis() - 500)),
            1..=3 => clock.advance(Duration::from_millis(250)),
            4..=20 => clock.advance(Duration::from_millis(10)),
            _ => {}
        }
        tokio::task::yield_now().await;
        actor.pause().await;
    }
}
