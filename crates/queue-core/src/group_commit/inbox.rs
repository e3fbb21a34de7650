use super::{Committer, Failed, Pending};
use std::fmt;
use tokio::sync::mpsc;

/// Calls in one transaction.
const CALLS_MAX: usize = 1_024;
/// Weight of one transaction, beyond which no further call joins: others wait for its end.
const WEIGHT_MAX: usize = 10_000;
/// How often the thread lets others run before it begins with fewer calls than last time.
const YIELDS_MAX: usize = 32;

/// The thread's end of a [`Writer`](super::Writer).
pub struct Inbox<C: Committer> {
    calls: mpsc::Receiver<Pending<C>>,
    calls_before: usize,
}

impl<C: Committer> fmt::Debug for Inbox<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox").field("waiting", &self.calls.len()).finish_non_exhaustive()
    }
}

impl<C: Committer> Inbox<C> {
    pub(super) fn new(calls: mpsc::Receiver<Pending<C>>) -> Self {
        Self { calls, calls_before: 0 }
    }

    /// Serves until the handle is closed or dropped and everything that was sent before is done.
    pub fn serve(mut self, session: &mut C::Session<'_>) {
        while let Some(first) = self.calls.blocking_recv() {
            let group = self.gather(first);
            self.calls_before = group.len();
            commit(session, group);
        }
    }

    /// Takes what waits by now; nobody waits for a timer. Callers that were just answered may be about to call again, so
    /// while there are fewer than last time the processor is offered to them.
    fn gather(&mut self, first: Pending<C>) -> Vec<Pending<C>> {
        let mut weight = first.weight();
        let mut group = vec![first];
        let mut yields = 0;
        while group.len() < CALLS_MAX && weight < WEIGHT_MAX {
            if let Ok(call) = self.calls.try_recv() {
                weight = weight.saturating_add(call.weight());
                group.push(call);
            } else if group.len() < self.calls_before && yields < YIELDS_MAX {
                yields += 1;
                std::thread::yield_now();
            } else {
                break;
            }
        }
        group
    }
}

fn commit<C: Committer>(session: &mut C::Session<'_>, mut group: Vec<Pending<C>>) {
    match C::transact(session, &mut group) {
        Ok(()) => group.into_iter().for_each(Pending::answer),
        Err(Failed::Within(_)) if group.len() > 1 => {
            for call in group {
                commit(session, vec![call]);
            }
        }
        Err(Failed::Within(fault) | Failed::Together(fault)) => {
            for call in group {
                call.fail(&fault);
            }
        }
    }
}
