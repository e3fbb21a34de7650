use crate::worker::{options::Until, shared::Shared};
use queue_core::Claimed;
use tokio::time::Instant;

/// One look at all queues of a run that ends by itself, to see whether it is done. It begins when nothing is held and no
/// call is in flight, asks every queue at the same time, and is over when all calls that follow from that are answered.
#[derive(Debug)]
pub(super) struct Ending {
    /// Jobs came: what they will have enqueued when they are settled is for another look.
    got_any: bool,
    /// Of each queue that answered, whether nothing is left in it to wait for.
    done: Vec<Option<bool>>,
}

impl Ending {
    pub(super) fn new(lanes: usize) -> Self {
        Self { got_any: false, done: vec![None; lanes] }
    }

    pub(super) fn note(&mut self, lane: usize, got_any: bool, is_done: Option<bool>) {
        self.got_any |= got_any;
        self.done[lane] = is_done.or(self.done[lane]);
    }

    pub(super) fn has_heard_of(&self, lane: usize) -> bool {
        self.done[lane].is_some()
    }

    pub(super) fn is_over(&self) -> bool {
        !self.got_any && self.done.iter().all(|done| *done == Some(true))
    }
}

/// Whether a queue has nothing that this worker is to wait for. What it put back itself for a while is not left.
pub(super) fn is_done(shared: &Shared, answer: &Claimed) -> bool {
    let due_in = answer.next_due.map(|at| at.since(answer.now));
    match shared.options.until {
        Until::Stopped => false,
        Until::Idle => {
            let returning = shared.kinds.returning_for(Instant::now());
            answer.paused || due_in.is_none_or(|due_in| due_in > returning)
        }
        Until::Empty => due_in.is_none(),
    }
}

/// Whether a queue that may not start anything now, and was asked for nothing, has only what is to come: what is due waits for
/// a token, but schedules alone are no reason to.
pub(super) fn has_none_due(answer: &Claimed, limit: usize) -> bool {
    limit == 0 && answer.next_due.is_some_and(|at| at > answer.now)
}
