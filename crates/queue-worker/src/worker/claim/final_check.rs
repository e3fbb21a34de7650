//! Whether a run that ends by itself is done.

use crate::worker::{run::WorkerRun, setup::EndCondition};
use queue_core::Claimed;
use tokio::time::Instant;

/// One look at all queues of a run that ends by itself, to see whether it is done. The check begins
/// when nothing is held and no call is in flight, and asks every queue at the same time. It is over
/// when all calls that follow from that are answered.
#[derive(Debug)]
pub(super) struct FinalCheck {
    /// Jobs came. They may enqueue others when they are settled, so this check proves nothing.
    got_any: bool,
    /// For each queue that answered, whether nothing is left in it to wait for.
    done: Vec<Option<bool>>,
}

impl FinalCheck {
    pub(super) fn new(queues: usize) -> Self {
        Self { got_any: false, done: vec![None; queues] }
    }

    pub(super) fn note(&mut self, queue_index: usize, got_any: bool, is_done: Option<bool>) {
        self.got_any |= got_any;
        self.done[queue_index] = is_done.or(self.done[queue_index]);
    }

    pub(super) fn has_heard_of(&self, queue_index: usize) -> bool {
        self.done[queue_index].is_some()
    }

    pub(super) fn is_done(&self) -> bool {
        !self.got_any && self.done.iter().all(|done| *done == Some(true))
    }
}

/// Whether a queue has nothing that this worker is to wait for. Jobs that the worker itself put
/// back for a while are waited for.
pub(super) fn is_done(run: &WorkerRun, answer: &Claimed) -> bool {
    let due_in = answer.next_due.map(|at| at.since(answer.now));
    match run.options.until {
        EndCondition::Stopped => false,
        EndCondition::Idle => {
            let returning = run.kinds.returning_for(Instant::now());
            answer.pause.is_on() || due_in.is_none_or(|due_in| due_in > returning)
        }
        // Jobs of a paused kind may wait, of which `next_due` does not tell.
        EndCondition::Empty => due_in.is_none() && answer.paused_kinds.is_empty(),
    }
}

/// Whether a queue that was asked for no jobs, since it may start none now, has nothing due. A due
/// job waits for a token of the rate limit; schedules alone are no reason to wait.
pub(super) fn has_none_due(answer: &Claimed, limit: usize) -> bool {
    limit == 0 && answer.next_due.is_some_and(|at| at > answer.now)
}
